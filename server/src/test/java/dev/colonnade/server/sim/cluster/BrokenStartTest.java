package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimNode.Seams;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Starts during which something fails: an exception, or a full disk. */
class BrokenStartTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** Far below the reserve. */
  private static final int FEW_BYTES = 4 << 10;

  /** Begins to receive on the control stage, where exceptions are not reported. */
  private static final class Broken implements Transport {
    private final Transport sound;
    private final Error error;

    Broken(Transport sound, Error error) {
      this.sound = sound;
      this.error = error;
    }

    @Override
    public boolean send(PeerAddress to, Frame frame) {
      return sound.send(to, frame);
    }

    @Override
    public void receive(FrameReceiver receiver) {
      throw error;
    }

    @Override
    public void forget(PeerAddress peer) {
      sound.forget(peer);
    }
  }

  @Test
  void anErrorOnTheControlStageFailsTheStart() throws Exception {
    var factory =
        CoreNode.factory(new CoreNode.Plan(SimulatedStore.TINY, NodeSettings.DEFAULT, Map.of()));
    World<CoreNode> world =
        new World<>(
            1,
            World.Settings.DEFAULT,
            seams ->
                factory.start(
                    new Seams(
                        seams.name(),
                        seams.address(),
                        seams.boot(),
                        seams.environment(),
                        new Broken(
                            seams.transport(), new NoClassDefFoundError("dev/colonnade/Missing")),
                        seams.port())));
    Machine<CoreNode> machine = world.add("n1", new PeerAddress("10.0.0.1", 7000));
    machine.start();
    CoreNode node = machine.node().orElseThrow();
    assertTrue(world.runUntil(node::hasFailed, LIMIT), "its start goes on for ever");
    assertTrue(node.failedBecause().contains("dev/colonnade/Missing"), node::failedBecause);
    world.close();
  }

  /** The state that a node saves at a start may use the reserve, so that its rows can be read. */
  @Test
  void aNodeStartsOnADiskThatIsFullToItsReserve() throws Exception {
    World<CoreNode> world =
        new World<>(
            1,
            World.Settings.DEFAULT,
            CoreNode.factory(
                new CoreNode.Plan(SimulatedStore.TINY, NodeSettings.DEFAULT, Map.of())));
    Machine<CoreNode> machine = world.add("n1", new PeerAddress("10.0.0.1", 7000));
    machine.start();
    assertTrue(world.runUntil(machine.node().orElseThrow()::isStarted, LIMIT), "the first start");
    machine.kill();
    machine.disk().capacityBytes(machine.disk().usedBytes() + FEW_BYTES);
    machine.start();
    CoreNode again = machine.node().orElseThrow();
    assertTrue(
        world.runUntil(() -> again.isStarted() || again.hasFailed(), LIMIT), "it starts for ever");
    assertTrue(again.isStarted(), again::failedBecause);
    world.close();
  }
}
