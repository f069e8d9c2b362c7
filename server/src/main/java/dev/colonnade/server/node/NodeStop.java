package dev.colonnade.server.node;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.node.platform.ClientPort;
import dev.colonnade.server.node.platform.GrpcTransport;
import dev.colonnade.server.node.platform.OpsHttpServer;
import dev.colonnade.server.node.platform.PlugInJars;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.node.platform.WatchThread;
import dev.colonnade.server.node.telemetry.TraceExport;
import dev.colonnade.server.service.rpc.RpcServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a running node ends. Each part is closed whatever those before it do: a node whose disk is
 * full or gone gives back its ports as well.
 *
 * @param traces null if no collector gets traces
 */
record NodeStop(
    RpcServer rpc,
    ClientPort clients,
    OpsHttpServer http,
    @Nullable TraceExport traces,
    NodeRuntime core,
    StageScheduler scheduler,
    GrpcTransport transport,
    PlugInJars plugIns,
    WatchThread watching) {

  private static final Logger LOG = LoggerFactory.getLogger(NodeStop.class);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  /** Closes one part. */
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /** No more calls, no more writes, log durable, files closed. Blocks. */
  void inOrder() {
    core.health().raise(Condition.STOPPING, Impact.NOT_READY, "the node is stopping");
    run("the port for clients", this::stopCalls);
    closePorts();
    if (traces != null) {
      run("the export of traces", traces::close);
    }
    try {
      closeStore(core, scheduler);
    } catch (IOException | RuntimeException e) {
      LOG.error("the store was not closed cleanly; acknowledged writes are in the commit log", e);
    }
    run("the port for other nodes", transport::close);
    closeRest();
    LOG.info("stopped");
  }

  private void stopCalls() throws InterruptedException {
    if (!rpc.stop()) {
      LOG.warn("some calls did not end in time and were cancelled");
    }
  }

  /** No part finishes what it has begun; only tasks that run are waited for. Blocks. */
  void atOnce() {
    run("the port for clients", rpc::abort);
    closePorts();
    if (traces != null) {
      traces.abort();
    }
    scheduler.abandon();
    run("the port for other nodes", transport::close);
    run("background work", () -> scheduler.drain(STOP_LIMIT));
    try {
      core.engine().release();
    } catch (IOException | RuntimeException e) {
      LOG.info("the node was killed, and left its log as it was: {}", e.getMessage());
    }
    closeRest();
    LOG.info("killed");
  }

  private void closePorts() {
    run("the threads of the port for clients", clients::close);
    run("the port for HTTP", http::close);
  }

  private void closeRest() {
    run("plug-ins", plugIns::close);
    run("the watch over threads", watching::close);
  }

  private static void run(String part, Step step) {
    try {
      step.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not be closed", part, e);
    }
  }

  /** Stops the store and what writes to it, and closes its files. Blocks. */
  static void closeStore(NodeRuntime core, StageScheduler scheduler) throws IOException {
    try {
      core.stop().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.error(
          "some accepted work could not be finished; writes to keyspaces with durable_writes=false"
              + " may be lost",
          e);
    }
    try {
      if (!scheduler.drain(STOP_LIMIT)) {
        LOG.warn("background work did not end in time; it will be repeated after the next start");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    scheduler.abandon();
    core.engine().release();
  }
}
