package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Names as the session knows them. Old names are refreshed on a separate thread, for which
 * completion waits only a moment: if a node does not answer, there are no suggestions, but no delay
 * either.
 */
final class SchemaNames implements Names, AutoCloseable {

  private static final Duration MOMENT = Duration.ofMillis(200);
  private static final Duration OLD = Duration.ofSeconds(5);

  private final Session session;
  private final ExecutorService asking =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "completion");
            thread.setDaemon(true);
            return thread;
          });

  private @Nullable Future<?> asked;
  private long askedNanos;

  SchemaNames(Session session) {
    this.session = session;
  }

  /** Asks the node, in the background, unless that was done just now. */
  synchronized void renew() {
    boolean underWay = asked != null && !asked.isDone();
    boolean fresh =
        asked != null
            && System.nanoTime() - askedNanos < OLD.toNanos()
            && !session.schema().known().isEmpty();
    if (underWay || fresh || asking.isShutdown()) {
      return;
    }
    askedNanos = System.nanoTime();
    asked =
        asking.submit(
            () -> {
              try {
                List<KeyspaceDefinition> unused = session.schema().refresh();
              } catch (ColonnadeException e) {
                // Completion works without; the next statement reports the problem.
                askedNanos -= OLD.toNanos();
              }
            });
  }

  @Override
  public Optional<String> keyspace() {
    return session.keyspaceInUse();
  }

  @Override
  public List<String> keyspaces() {
    return known().stream().map(KeyspaceDefinition::name).toList();
  }

  @Override
  public List<String> families(String keyspace) {
    return known().stream()
        .filter(known -> known.name().equals(keyspace))
        .flatMap(known -> known.columnFamilies().stream())
        .map(ColumnFamilyDefinition::name)
        .toList();
  }

  @Override
  public void close() {
    List<Runnable> unused = asking.shutdownNow();
  }

  private List<KeyspaceDefinition> known() {
    renew();
    if (session.schema().known().isEmpty()) {
      waitAMoment();
    }
    return session.schema().known();
  }

  private synchronized void waitAMoment() {
    if (asked == null) {
      return;
    }
    try {
      Object unused = asked.get(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (TimeoutException e) {
      // Then nothing is known yet.
      return;
    }
  }
}
