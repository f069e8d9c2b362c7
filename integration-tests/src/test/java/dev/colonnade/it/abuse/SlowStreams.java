package dev.colonnade.it.abuse;

import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Scans that read one chunk and then stop to read, over 8 connections. A stream that the node ends
 * is begun again.
 */
final class SlowStreams {

  private static final int STREAMS = 400;
  private static final int CONNECTIONS = 8;
  private static final long AGAIN_MILLIS = 100;

  private static final StreamRangeSlicesRequest REQUEST =
      StreamRangeSlicesRequest.newBuilder()
          .setKeyspace(Target.KEYSPACE)
          .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.BAD))
          .setPredicate(SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
          .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
          .setMaxChunkBytes(1 << 20)
          .build();

  private final Channel channel;
  private final Tally tally;
  private final ScheduledThreadPoolExecutor timer;

  private SlowStreams(Channel channel, Tally tally, ScheduledThreadPoolExecutor timer) {
    this.channel = channel;
    this.tally = tally;
    this.timer = timer;
  }

  static void begin(Target target, Tally tally) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    for (int i = 0; i < CONNECTIONS; i++) {
      SlowStreams streams = new SlowStreams(target.channel(), tally, timer);
      for (int j = 0; j < STREAMS / CONNECTIONS; j++) {
        streams.open();
      }
    }
  }

  private void open() {
    ClientCall<?, StreamRangeSlicesResponse> call = start();
    call.request(1);
  }

  private ClientCall<?, StreamRangeSlicesResponse> start() {
    var call =
        channel.newCall(ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(StreamRangeSlicesResponse message) {
            tally.ok();
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            tally.ended(status);
            var unused =
                timer.schedule(SlowStreams.this::open, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
          }
        },
        new Metadata());
    call.sendMessage(REQUEST);
    call.halfClose();
    return call;
  }
}
