package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

final class LogLevelTest {

  @Test
  void whoSpeaksSomethingElseToAPortDoesNotFillTheLog() {
    LogLevel.quietLibraries();

    Logger transport = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport");
    assertFalse(transport.isLoggable(Level.INFO));
    // That of the transport is lower where a test beside this one made the process a client.
    assertTrue(Logger.getLogger("io.grpc.internal").isLoggable(Level.WARNING));
  }
}
