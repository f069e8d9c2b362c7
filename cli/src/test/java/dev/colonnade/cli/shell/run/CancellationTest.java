package dev.colonnade.cli.shell.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.LocalNode;
import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupting the thread of a statement ends the call, and not the session. */
@Timeout(60)
final class CancellationTest {

  @TempDir private Path temporary;

  @Test
  void callThatGetsNoAnswerEnds() throws Exception {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Session session = session(silent.getLocalPort(), new StringWriter())) {
      Interpreter interpreter = new Interpreter(session, topic -> Optional.empty());
      AtomicReference<Thread> running = new AtomicReference<>();
      Future<StatementFailure> failure =
          threads.submit(
              () -> {
                running.set(Thread.currentThread());
                StatementFailure thrown =
                    assertThrows(
                        StatementFailure.class,
                        () -> interpreter.execute(statement("show cluster name")));
                assertFalse(Thread.currentThread().isInterrupted());
                return thrown;
              });

      try (Socket caller = silent.accept()) {
        assertTrue(caller.isConnected());
        Objects.requireNonNull(running.get()).interrupt();
        assertEquals(
            ExitStatus.INTERRUPTED, failure.get(20, TimeUnit.SECONDS).status(), "of the statement");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void longAnswerEndsInTheMiddleAndTheSessionGoesOn() throws Exception {
    try (LocalNode node = LocalNode.start(temporary)) {
      fill(node.port(), 24);
      InterruptingWriter out = new InterruptingWriter();
      try (Session session = session(node.port(), out)) {
        Interpreter interpreter = new Interpreter(session, topic -> Optional.empty());

        StatementFailure failure =
            assertThrows(
                StatementFailure.class,
                () -> interpreter.execute(statement("get Long.Rows['k'] limit 1000")));

        assertEquals(ExitStatus.INTERRUPTED, failure.status(), failure.getMessage());
        assertTrue(out.written < 24L << 20, "all of the row was shown");
        assertFalse(Thread.currentThread().isInterrupted());
        assertEquals(Outcome.DONE, interpreter.execute(statement("count Long.Rows['k']")));
      }
    }
  }

  /** Interrupts the thread that writes the first answer. */
  private static final class InterruptingWriter extends Writer {
    private long written;

    @Override
    public void write(char[] text, int offset, int length) {
      if (written == 0) {
        Thread.currentThread().interrupt();
      }
      written += length;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static void fill(int port, int columns) {
    try (Colonnade client = Colonnade.connect("127.0.0.1:" + port)) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Long")
                  .with(ColumnFamilyDefinition.standard("Rows", Comparators.BYTES)));
      ColumnFamily<String, Integer, byte[]> rows =
          client
              .keyspace("Long")
              .columnFamily("Rows", Serializers.UTF8, Serializers.INT, Serializers.BYTES);
      for (int i = 0; i < columns; i++) {
        rows.insert("k", i, new byte[1 << 20]);
      }
    }
  }

  private static Session session(int port, Writer out) {
    return new Session(
        new NodeAddress("127.0.0.1", port),
        ClientOptions.defaults()
            .withCalls(CallOptions.defaults().withDeadline(Duration.ofSeconds(60))),
        OutputForm.CLASSIC,
        Printer.plain(new PrintWriter(out), new PrintWriter(new StringWriter())));
  }

  private static Statement statement(String text) throws Exception {
    return StatementReader.parseAll(text).get(0);
  }
}
