package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process of a {@link GossipWorld} that can be killed and started again. */
final class GossipNode {

  final GossipWorld world;
  final int number;
  final String id;
  final List<String> happened = new ArrayList<>();
  PeerAddress address;
  NodeScheduler scheduler;
  Gossiper gossiper;
  String clusterName = "sim";
  long generation;
  int convictions;

  /** How far this node's wall clock is ahead of the world's. */
  Duration ahead = Duration.ZERO;

  boolean quiet;
  private boolean running;

  GossipNode(GossipWorld world, int number, String id, PeerAddress address) {
    this.world = world;
    this.number = number;
    this.id = id;
    this.address = address;
    this.scheduler = new NodeScheduler(world.scheduler);
    this.generation = Gossiper.nextGeneration(0, world.clock);
    build();
  }

  private void build() {
    Peer self = new Peer(id, address);
    Messenger messenger = new Messenger(self, world.transport(this), world.clock, scheduler);
    gossiper =
        new Gossiper(
            self,
            messenger,
            new SkewedClock(),
            scheduler,
            world.random("node" + number + "-" + generation),
            GossipSettings.of(clusterName, "RandomPartitioner", GossipWorld.seeds()),
            generation);
    gossiper.set(
        Map.of(
            ApplicationState.STATUS,
            NodeStatus.normal().text(),
            ApplicationState.TOKENS,
            id,
            ApplicationState.DATACENTER,
            "dc" + number % 2,
            ApplicationState.RACK,
            "r" + number % 3));
    gossiper.listen(new Diary());
    this.messenger = messenger;
  }

  private Messenger messenger;

  /** Sends news of any node, true or not. */
  void sendNews(GossipNode to, Delta news) {
    byte[] body = new GossipCodec(clusterName, "RandomPartitioner", 1 << 20).news(List.of(news));
    messenger.sendOneWay(new Peer(to.id, to.address), Verb.GOSSIP_ACK2, body);
  }

  boolean running() {
    return running;
  }

  void start() {
    messenger.start();
    gossiper.start();
    running = true;
  }

  void stop() {
    gossiper.stop();
    kill();
  }

  void kill() {
    scheduler.kill();
    running = false;
  }

  /** A new process with the same id, while the old one still runs. */
  void startAgain(PeerAddress where, long withGeneration) {
    address = where;
    generation = withGeneration;
    scheduler = new NodeScheduler(world.scheduler);
    build();
    start();
  }

  void restart() {
    startAgain(address, Gossiper.nextGeneration(generation, world.clock));
  }

  Member sees(GossipNode other) {
    return gossiper.members().byId(other.id).orElseThrow();
  }

  private final class SkewedClock implements Clock {

    @Override
    public long monotonicNanos() {
      return world.clock.monotonicNanos();
    }

    @Override
    public long wallMicros() {
      return world.clock.wallMicros() + ahead.toNanos() / 1_000;
    }
  }

  private final class Diary implements MemberListener {

    private void write(String what, Member member) {
      world.trace(number, what.hashCode() * 31L + member.id().hashCode());
      if (!quiet) {
        happened.add(what + " " + member.id());
      }
    }

    @Override
    public void joined(Member member) {
      write("joined", member);
    }

    @Override
    public void restarted(Member member) {
      write("restarted", member);
    }

    @Override
    public void alive(Member member) {
      write("alive", member);
    }

    @Override
    public void dead(Member member) {
      convictions++;
      write("dead", member);
    }

    @Override
    public void departed(Member member) {
      write("departed", member);
    }

    @Override
    public void removed(Member member) {
      write("removed", member);
    }

    @Override
    public void refused(String message) {
      happened.add("refused " + message);
    }

    @Override
    public void conflict(HostIdConflict conflict) {
      happened.add("conflict " + conflict.message());
    }
  }
}
