package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.cluster.gossip.NodeSignatures.SignedStatement;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which news of a node is believed, from any sender:
 *
 * <ul>
 *   <li>What a node announces is signed by that node, all of it together.
 *   <li>A heartbeat shows the link that follows the last one.
 *   <li>That a node was removed is signed by a majority of the other nodes of the ring, as far as
 *       this node knows them, or told by a majority of them, each for itself: votes get lost when
 *       all nodes are restarted, and count no more when a voter has a new key. It is believed of no
 *       node that this one finds up.
 *   <li>A node that does not sign is believed where that is allowed: what it says of itself, and
 *       what others say of it until it has signed once.
 * </ul>
 *
 * <p>A signature is checked once: what is known was checked before, and a heartbeat costs a hash.
 */
final class StateVerifier {

  /** How many removals are remembered that are not believed: the ids are free text of others. */
  private static final int TOLD_MAX = 1_000;

  private final NodeSignatures signatures;
  private final boolean required;
  private final String clusterName;
  private final String selfId;
  private final Collection<EndpointState> known;
  private final Predicate<String> isUp;

  /** Who has told that a node is gone, without proof, by the node's id. */
  private final Map<String, Set<String>> tellers = new HashMap<>();

  /**
   * Creates the rules of a node.
   *
   * @param required whether nodes that do not sign are disbelieved
   * @param known all nodes as this one knows them, itself included; changes
   * @param isUp whether this node finds that one up
   */
  StateVerifier(
      NodeSignatures signatures,
      boolean required,
      String clusterName,
      String selfId,
      Collection<EndpointState> known,
      Predicate<String> isUp) {
    this.signatures = signatures;
    this.required = required;
    this.clusterName = clusterName;
    this.selfId = selfId;
    this.known = known;
    this.isUp = isUp;
  }

  /**
   * Judges news of a node.
   *
   * @param before what was known of it, checked then
   * @param told what would be known of it, complete
   * @param fromId the node that tells it
   */
  Belief of(@Nullable EndpointState before, EndpointState told, String fromId) {
    if (told.removed()) {
      return ofRemoval(before, told, fromId);
    }
    Optional<StateSignature> signature =
        told.state(ApplicationState.SIGNATURE).flatMap(StateSignature::parse);
    if (signature.isPresent()) {
      return ofSigned(before, told, signature.get());
    }
    if (told.signed()) {
      return Belief.refused("its signature cannot be read");
    }
    if (required) {
      return Belief.refused("it is not signed");
    }
    boolean firstHand = fromId.equals(told.id());
    return firstHand || before == null || !before.signed()
        ? Belief.BELIEVED
        : Belief.refused("it is not signed, and that node has signed before");
  }

  private Belief ofSigned(
      @Nullable EndpointState before, EndpointState told, StateSignature signature) {
    Optional<byte[]> link = link(told);
    if (link.isEmpty()) {
      return Belief.refused("its last heartbeat is not proved");
    }
    if (before != null && hasSame(before, told)) {
      Optional<byte[]> earlier = link(before);
      long heartbeats = told.heartbeat() - before.heartbeat();
      return earlier.isPresent() && HeartbeatChain.follows(link.get(), heartbeats, earlier.get())
          ? Belief.BELIEVED
          : Belief.refused("its last heartbeat is not its own");
    }
    long version = version(told, ApplicationState.SIGNATURE);
    if (!HeartbeatChain.follows(link.get(), told.heartbeat() - version, signature.firstLink())) {
      return Belief.refused("its last heartbeat is not its own");
    }
    return signatures
        .refusal(
            new SignedStatement(
                told.id(),
                told.generation(),
                told.state(ApplicationState.CERTIFICATE).orElse(""),
                SignedContent.of(clusterName, told, version, signature.firstLink()),
                signature.signature()))
        .map(Belief::refused)
        .orElse(Belief.BELIEVED);
  }

  /** The link that was shown with the last heartbeat and no other version. */
  private static Optional<byte[]> link(EndpointState state) {
    return state.heartbeat() == state.version()
            && version(state, ApplicationState.HEARTBEAT_PROOF) == state.heartbeat()
        ? state
            .state(ApplicationState.HEARTBEAT_PROOF)
            .flatMap(text -> StateSignature.decode(text, HeartbeatChain.LINK_BYTES))
        : Optional.empty();
  }

  private static long version(EndpointState state, ApplicationState key) {
    for (VersionedValue value : state.states()) {
      if (value.key() == key.number()) {
        return value.version();
      }
    }
    return -1;
  }

  /** Whether all but the last heartbeat is what was checked before. */
  private static boolean hasSame(EndpointState before, EndpointState told) {
    return before.generation() == told.generation()
        && before.signed()
        && withoutHeartbeat(before).equals(withoutHeartbeat(told));
  }

  private static List<VersionedValue> withoutHeartbeat(EndpointState state) {
    return state.states().stream()
        .filter(value -> value.key() != ApplicationState.HEARTBEAT_PROOF.number())
        .toList();
  }

  private Belief ofRemoval(@Nullable EndpointState before, EndpointState told, String fromId) {
    List<EndpointState> voters = Electorate.of(known, told.id());
    Optional<String> doubt = doubt(before, told, voters);
    boolean isOwn = told.id().equals(selfId);
    if (doubt.isPresent()
        && (before == null || !before.departed())
        && toldByMajority(told.id(), fromId, voters)) {
      doubt = Optional.empty();
    }
    if (doubt.isPresent()) {
      return before == null ? Belief.notYet(doubt.get()) : Belief.refused(doubt.get());
    }
    if (!isOwn && isUp.test(told.id())) {
      return Belief.notYet("it is up, as far as this node knows");
    }
    tellers.remove(told.id());
    return Belief.BELIEVED;
  }

  private boolean toldByMajority(String id, String fromId, List<EndpointState> voters) {
    if (tellers.size() >= TOLD_MAX && !tellers.containsKey(id)) {
      return false;
    }
    Set<String> sayingSo = tellers.computeIfAbsent(id, any -> new HashSet<>());
    sayingSo.add(fromId);
    int saying = 0;
    for (EndpointState voter : voters) {
      saying += sayingSo.contains(voter.id()) ? 1 : 0;
    }
    return Electorate.isMajority(saying, voters.size());
  }

  /** Forgets what was told of a node that is forgotten. */
  void forget(String id) {
    tellers.remove(id);
  }

  /** Why the votes for a removal do not prove it. */
  private Optional<String> doubt(
      @Nullable EndpointState before, EndpointState told, List<EndpointState> voters) {
    Optional<String> text = told.state(ApplicationState.REMOVAL_VOTES);
    if (text.isEmpty()) {
      return required || Electorate.canSign(voters)
          ? Optional.of("it does not say which nodes agreed to its removal")
          : Optional.empty();
    }
    Optional<RemovalVotes> votes = RemovalVotes.parse(told.id(), text.get());
    if (votes.isEmpty()
        || votes.get().removal().generation() + 1 != told.generation()
        || votes.get().removal().expiryMillis()
            != told.status().map(NodeStatus::expiryMillis).orElse(0L)) {
      return Optional.of("its removal is not the one that other nodes agreed to");
    }
    if (before != null
        && !before.departed()
        && before.generation() > votes.get().removal().generation()) {
      return Optional.of("it has started again since other nodes agreed to its removal");
    }
    int asked = 0;
    for (EndpointState voter : voters) {
      boolean voted = votes.get().signatures().containsKey(voter.id());
      asked += voted || Electorate.isAsked(voter, votes.get().removal()) ? 1 : 0;
    }
    return Electorate.isMajority(valid(voters, votes.get(), asked), asked)
        ? Optional.empty()
        : Optional.of("too few nodes have agreed to its removal");
  }

  /** Counts votes that are those of voters, up to a majority of those asked. */
  private int valid(List<EndpointState> voters, RemovalVotes votes, int asked) {
    byte[] content = SignedContent.of(clusterName, votes.removal());
    Map<String, byte[]> cast = votes.signatures();
    int valid = 0;
    for (EndpointState voter : voters) {
      byte[] signature = cast.get(voter.id());
      if (signature != null
          && !Electorate.isMajority(valid, asked)
          && signatures
              .refusal(
                  new SignedStatement(
                      voter.id(),
                      voter.generation(),
                      voter.state(ApplicationState.CERTIFICATE).orElse(""),
                      content,
                      signature))
              .isEmpty()) {
        valid++;
      }
    }
    return valid;
  }
}
