package dev.colonnade.server.service.rpc;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.TouchRequest;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Lists the data calls with one answer, each with the handler that carries it out. Unary methods
 * and sessions both use this list, so that a call means the same on either.
 */
final class DataCalls {

  private DataCalls() {}

  /** All of them. */
  static List<DataCall<?, ?>> of(
      SliceCalls slices, MultigetCalls multigets, RangeCalls ranges, WriteCalls writes) {
    return List.of(
        columns(
            SessionCall.GET_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getGetMethod(),
            SessionCall::getGet,
            CallSubject.row(
                GetRequest::getKeyspace,
                q -> q.getColumnPath().getColumnFamily(),
                GetRequest::getKey,
                q -> q.getOptions().getConsistencyLevel()),
            slices::get),
        columns(
            SessionCall.GET_SLICE_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getGetSliceMethod(),
            SessionCall::getGetSlice,
            CallSubject.row(
                GetSliceRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                GetSliceRequest::getKey,
                q -> q.getOptions().getConsistencyLevel()),
            slices::slice),
        columns(
            SessionCall.MULTIGET_SLICE_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getMultigetSliceMethod(),
            SessionCall::getMultigetSlice,
            CallSubject.rows(
                MultigetSliceRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                MultigetSliceRequest::getKeysCount,
                q -> q.getOptions().getConsistencyLevel()),
            multigets::slice),
        columns(
            SessionCall.GET_RANGE_SLICES_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getGetRangeSlicesMethod(),
            SessionCall::getGetRangeSlices,
            CallSubject.rows(
                GetRangeSlicesRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                q -> 0,
                q -> q.getOptions().getConsistencyLevel()),
            ranges::slices),
        new DataCall<>(
            SessionCall.GET_COUNT_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getGetCountMethod(),
            false,
            SessionCall::getGetCount,
            CallSubject.row(
                GetCountRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                GetCountRequest::getKey,
                q -> q.getOptions().getConsistencyLevel()),
            slices::count),
        new DataCall<>(
            SessionCall.MULTIGET_COUNT_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getMultigetCountMethod(),
            false,
            SessionCall::getMultigetCount,
            CallSubject.rows(
                MultigetCountRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                MultigetCountRequest::getKeysCount,
                q -> q.getOptions().getConsistencyLevel()),
            multigets::count),
        new DataCall<>(
            SessionCall.TOUCH_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getTouchMethod(),
            false,
            SessionCall::getTouch,
            CallSubject.rows(
                TouchRequest::getKeyspace,
                q -> q.getColumnFamily(),
                TouchRequest::getKeysCount,
                q -> ConsistencyLevel.CONSISTENCY_LEVEL_ONE),
            multigets::touch),
        new DataCall<>(
            SessionCall.INSERT_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getInsertMethod(),
            true,
            SessionCall::getInsert,
            CallSubject.row(
                InsertRequest::getKeyspace,
                q -> q.getColumnParent().getColumnFamily(),
                InsertRequest::getKey,
                q -> q.getOptions().getConsistencyLevel()),
            writes::insert),
        new DataCall<>(
            SessionCall.REMOVE_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getRemoveMethod(),
            true,
            SessionCall::getRemove,
            CallSubject.row(
                RemoveRequest::getKeyspace,
                q -> q.getColumnPath().getColumnFamily(),
                RemoveRequest::getKey,
                q -> q.getOptions().getConsistencyLevel()),
            writes::remove),
        new DataCall<>(
            SessionCall.BATCH_MUTATE_FIELD_NUMBER,
            ColumnStoreServiceGrpc.getBatchMutateMethod(),
            true,
            SessionCall::getBatchMutate,
            CallSubject.batch(),
            writes::batch));
  }

  /** A read that encodes its answer itself. */
  private static <Q> DataCall<Q, EncodedMessage> columns(
      int number,
      MethodDescriptor<Q, ?> method,
      Function<SessionCall, Q> inSession,
      CallSubject<Q> subject,
      BiFunction<Q, CallContext, CompletableFuture<EncodedMessage>> work) {
    return new DataCall<>(
        number, EncodedMessage.answering(method), false, inSession, subject, work);
  }
}
