package dev.colonnade.server.rpc;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import java.io.FilterInputStream;
import java.io.InputStream;

/**
 * Takes compressed messages from the transport as they are: they are inflated later, away from the
 * event loop, and when their size on the heap is paid for. A kilobyte can become a megabyte.
 */
final class LateGzip implements Decompressor {

  /** What a server accepts: messages that are not compressed, and gzip. */
  static final DecompressorRegistry REGISTRY =
      DecompressorRegistry.emptyInstance()
          .with(Codec.Identity.NONE, false)
          .with(new LateGzip(), true);

  private LateGzip() {}

  @Override
  public String getMessageEncoding() {
    return "gzip";
  }

  @Override
  public InputStream decompress(InputStream compressed) {
    return new FilterInputStream(compressed) {};
  }
}
