package dev.colonnade.it.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.CreateKeyspaceResponse;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceResponse;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.ListKeyspacesResponse;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.admin.v1.TruncateColumnFamilyResponse;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnOrSuperColumn;
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
import dev.colonnade.v1.KeyCount;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RemoveResponse;
import dev.colonnade.v1.SuperColumn;
import io.grpc.BindableService;
import io.grpc.Status.Code;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * A server that knows nothing: to the n-th request it gives the n-th recorded answer. It shows that
 * the replay understands every line, and which faults it reports.
 */
final class RecordedServer {

  private final Iterator<JsonObject> lines;

  /**
   * @param lines the lines that will be asked for, in order
   */
  RecordedServer(List<JsonObject> lines) {
    this.lines = lines.iterator();
  }

  List<BindableService> services() {
    return List.of(new Columns(), new Schema());
  }

  private void answer(
      StreamObserver<? extends Message> observer, Function<JsonElement, Message> toMessage) {
    @SuppressWarnings("unchecked") // toMessage makes what the method that called us returns
    StreamObserver<Message> typed = (StreamObserver<Message>) observer;
    JsonObject res = lines.next().getAsJsonObject("res");
    if (res.has("err")) {
      typed.onError(error(res.get("err").getAsString()));
      return;
    }
    typed.onNext(toMessage.apply(res.get("ok")));
    typed.onCompleted();
  }

  private static Throwable error(String recorded) {
    Code code =
        switch (recorded) {
          case "InvalidRequestException" -> Code.INVALID_ARGUMENT;
          case "NotFoundException" -> Code.NOT_FOUND;
          case "UnavailableException" -> Code.UNAVAILABLE;
          case "TimedOutException" -> Code.DEADLINE_EXCEEDED;
          default -> Code.INTERNAL;
        };
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setDomain("colonnade")
            .setReason(code == Code.NOT_FOUND ? "COLUMN_NOT_FOUND" : "INVALID_REQUEST")
            .build();
    return StatusProto.toStatusRuntimeException(
        Status.newBuilder().setCode(code.value()).addDetails(Any.pack(info)).build());
  }

  private static ColumnOrSuperColumn column(JsonElement recorded) {
    JsonObject value = recorded.getAsJsonObject();
    ColumnOrSuperColumn.Builder column = ColumnOrSuperColumn.newBuilder();
    if (value.has("c")) {
      return column.setColumn(TraceRequests.column(value.getAsJsonObject("c"))).build();
    }
    JsonObject recordedSuper = value.getAsJsonObject("sc");
    SuperColumn.Builder superColumn =
        SuperColumn.newBuilder().setName(TraceRequests.bytes(recordedSuper.get("n")));
    recordedSuper
        .getAsJsonArray("cols")
        .forEach(each -> superColumn.addColumns(TraceRequests.column(each.getAsJsonObject())));
    return column.setSuperColumn(superColumn).build();
  }

  private static List<ColumnOrSuperColumn> columns(JsonElement recorded) {
    return recorded.getAsJsonArray().asList().stream().map(RecordedServer::column).toList();
  }

  private final class Schema extends SchemaServiceGrpc.SchemaServiceImplBase {

    @Override
    public void listKeyspaces(
        ListKeyspacesRequest request, StreamObserver<ListKeyspacesResponse> observer) {
      observer.onNext(ListKeyspacesResponse.getDefaultInstance());
      observer.onCompleted();
    }

    @Override
    public void createKeyspace(
        CreateKeyspaceRequest request, StreamObserver<CreateKeyspaceResponse> observer) {
      observer.onNext(CreateKeyspaceResponse.getDefaultInstance());
      observer.onCompleted();
    }

    @Override
    public void getKeyspace(
        GetKeyspaceRequest request, StreamObserver<GetKeyspaceResponse> observer) {
      answer(observer, ok -> GetKeyspaceResponse.getDefaultInstance());
    }

    @Override
    public void truncateColumnFamily(
        TruncateColumnFamilyRequest request,
        StreamObserver<TruncateColumnFamilyResponse> observer) {
      answer(observer, ok -> TruncateColumnFamilyResponse.getDefaultInstance());
    }
  }

  private final class Columns extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {

    @Override
    public void insert(InsertRequest request, StreamObserver<InsertResponse> observer) {
      answer(observer, ok -> InsertResponse.getDefaultInstance());
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveResponse> observer) {
      answer(observer, ok -> RemoveResponse.getDefaultInstance());
    }

    @Override
    public void batchMutate(
        BatchMutateRequest request, StreamObserver<BatchMutateResponse> observer) {
      answer(observer, ok -> BatchMutateResponse.getDefaultInstance());
    }

    @Override
    public void get(GetRequest request, StreamObserver<GetResponse> observer) {
      answer(observer, ok -> GetResponse.newBuilder().setColumnOrSuperColumn(column(ok)).build());
    }

    @Override
    public void getSlice(GetSliceRequest request, StreamObserver<GetSliceResponse> observer) {
      answer(observer, ok -> GetSliceResponse.newBuilder().addAllColumns(columns(ok)).build());
    }

    @Override
    public void getCount(GetCountRequest request, StreamObserver<GetCountResponse> observer) {
      answer(observer, ok -> GetCountResponse.newBuilder().setCount(ok.getAsLong()).build());
    }

    @Override
    public void multigetSlice(
        MultigetSliceRequest request, StreamObserver<MultigetSliceResponse> observer) {
      answer(
          observer,
          ok -> {
            MultigetSliceResponse.Builder response = MultigetSliceResponse.newBuilder();
            for (var key : request.getKeysList().stream().distinct().toList()) {
              response.addRows(
                  KeySlice.newBuilder()
                      .setKey(key)
                      .addAllColumns(columns(ok.getAsJsonObject().get(TraceAnswers.hex(key)))));
            }
            return response.build();
          });
    }

    @Override
    public void multigetCount(
        MultigetCountRequest request, StreamObserver<MultigetCountResponse> observer) {
      answer(
          observer,
          ok -> {
            MultigetCountResponse.Builder response = MultigetCountResponse.newBuilder();
            for (var key : request.getKeysList().stream().distinct().toList()) {
              response.addCounts(
                  KeyCount.newBuilder()
                      .setKey(key)
                      .setCount(ok.getAsJsonObject().get(TraceAnswers.hex(key)).getAsLong()));
            }
            return response.build();
          });
    }

    @Override
    public void getRangeSlices(
        GetRangeSlicesRequest request, StreamObserver<GetRangeSlicesResponse> observer) {
      answer(
          observer,
          ok -> {
            GetRangeSlicesResponse.Builder response = GetRangeSlicesResponse.newBuilder();
            for (JsonElement element : ok.getAsJsonArray()) {
              JsonObject row = element.getAsJsonObject();
              response.addRows(
                  KeySlice.newBuilder()
                      .setKey(TraceRequests.key(row))
                      .addAllColumns(columns(row.get("cols"))));
            }
            return response.build();
          });
    }
  }
}
