package dev.colonnade.server.service.rpc;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.InsertResponse;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RemoveResponse;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import dev.colonnade.v1.TouchRequest;
import dev.colonnade.v1.TouchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The data calls; each is passed to the class that handles its kind. */
final class ColumnStoreService extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {

  private final RpcContext rpc;
  private final SliceCalls slices;
  private final MultigetCalls multigets;
  private final RangeCalls ranges;
  private final WriteCalls writes;
  private final StreamReadCalls streams;

  ColumnStoreService(RpcContext rpc) {
    this.rpc = rpc;
    this.slices = new SliceCalls(rpc);
    this.multigets = new MultigetCalls(rpc);
    this.ranges = new RangeCalls(rpc);
    this.writes = new WriteCalls(rpc);
    this.streams = new StreamReadCalls(rpc, ranges);
  }

  @Override
  public void get(GetRequest request, StreamObserver<GetResponse> observer) {
    rpc.read(observer, () -> slices.get(request));
  }

  @Override
  public void getSlice(GetSliceRequest request, StreamObserver<GetSliceResponse> observer) {
    rpc.read(observer, () -> slices.slice(request));
  }

  @Override
  public void multigetSlice(
      MultigetSliceRequest request, StreamObserver<MultigetSliceResponse> observer) {
    rpc.read(observer, () -> multigets.slice(request));
  }

  @Override
  public void getCount(GetCountRequest request, StreamObserver<GetCountResponse> observer) {
    rpc.read(observer, () -> slices.count(request));
  }

  @Override
  public void multigetCount(
      MultigetCountRequest request, StreamObserver<MultigetCountResponse> observer) {
    rpc.read(observer, () -> multigets.count(request));
  }

  @Override
  public void getRangeSlices(
      GetRangeSlicesRequest request, StreamObserver<GetRangeSlicesResponse> observer) {
    rpc.read(observer, () -> ranges.slices(request));
  }

  @Override
  public void insert(InsertRequest request, StreamObserver<InsertResponse> observer) {
    rpc.write(observer, () -> writes.insert(request));
  }

  @Override
  public void remove(RemoveRequest request, StreamObserver<RemoveResponse> observer) {
    rpc.write(observer, () -> writes.remove(request));
  }

  @Override
  public void batchMutate(
      BatchMutateRequest request, StreamObserver<BatchMutateResponse> observer) {
    rpc.write(observer, () -> writes.batch(request));
  }

  @Override
  public void touch(TouchRequest request, StreamObserver<TouchResponse> observer) {
    rpc.read(observer, () -> multigets.touch(request));
  }

  @Override
  public void streamSlice(
      StreamSliceRequest request, StreamObserver<StreamSliceResponse> observer) {
    try {
      streams.slice(request, (ServerCallStreamObserver<StreamSliceResponse>) observer);
    } catch (RuntimeException e) {
      observer.onError(rpc.errors().ofRead(e));
    }
  }

  @Override
  public void streamRangeSlices(
      StreamRangeSlicesRequest request, StreamObserver<StreamRangeSlicesResponse> observer) {
    try {
      streams.ranges(request, (ServerCallStreamObserver<StreamRangeSlicesResponse>) observer);
    } catch (RuntimeException e) {
      observer.onError(rpc.errors().ofRead(e));
    }
  }

  @Override
  public StreamObserver<StreamMutateRequest> streamMutate(
      StreamObserver<StreamMutateResponse> observer) {
    return MutateStream.start(
        (ServerCallStreamObserver<StreamMutateResponse>) observer,
        writes::batch,
        rpc.errors(),
        rpc.settings().streams());
  }
}
