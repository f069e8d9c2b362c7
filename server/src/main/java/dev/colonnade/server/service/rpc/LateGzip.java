package dev.colonnade.server.service.rpc;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import java.io.FilterInputStream;
import java.io.InputStream;

/**
 * Passes compressed messages through as they are. They are inflated later, off the event loop,
 * after their memory is reserved: a kilobyte can become a megabyte.
 */
final class LateGzip implements Decompressor {

  /** The encodings that a server accepts: identity and gzip. */
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
