package dev.colonnade.server.service.readrepair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.storage.engine.FragmentCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Replicas that each missed some writes are asked together: the pages equal those of a model that
 * missed nothing, and afterwards the replicas have what they lacked. Each claim holds on all seeds.
 */
class RowResolverTest {

  private static final int SEEDS = 25;
  private static final int QUESTIONS = 12;

  /** A test on many worlds; a failure names the seed. */
  interface Claim {
    void check(Random random) throws Exception;
  }

  static void onAllSeeds(int seeds, Claim claim) {
    for (int seed = 0; seed < seeds; seed++) {
      try {
        claim.check(new Random(seed));
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void joinedPagesAreThoseOfAModelThatMissedNothing() {
    onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 1 + random.nextInt(4));
          for (int round = 0; round < 3; round++) {
            replicas.writeSome(10);
            // A node skips many of these before it stops, and live columns must not be lost.
            replicas.writeSome(random.nextInt(2) * 15, RandomRow::purgeable);
            for (int i = 0; i < QUESTIONS; i++) {
              Slice slice = replicas.randomRow().slice();
              check(replicas, replicas.key(), slice, replicas.randomRow().pageBytes(), false);
            }
          }
        });
  }

  @Test
  void aCorrectedReplicaLacksNothingAndSaysTheSameAsTheOthers() {
    onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 2 + random.nextInt(3));
          replicas.writeSome(25);
          for (int i = 0; i < QUESTIONS / 2; i++) {
            Slice slice = replicas.randomRow().slice();
            RowKey key = replicas.key();
            check(replicas, key, slice, replicas.randomRow().pageBytes(), true);
            for (int page = 0; page < 3; page++) {
              requireEqualAnswers(replicas, key, slice, replicas.randomRow().pageBytes());
            }
          }
          RowKey key = replicas.key();
          Slice whole =
              new Slice(List.of(PathRange.ALL), random.nextBoolean(), false, Long.MAX_VALUE);
          check(replicas, key, whole, replicas.randomRow().pageBytes(), true);
          for (int i = 0; i < QUESTIONS; i++) {
            Slice slice = replicas.randomRow().slice();
            requireEqualAnswers(replicas, key, slice, replicas.randomRow().pageBytes());
          }
        });
  }

  @Test
  void digestsAreEqualExactlyWhenNothingIsLacking() {
    boolean[] seen = new boolean[2];
    onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 2);
          for (int round = 0; round < 6; round++) {
            replicas.writeSome(3);
            for (int i = 0; i < QUESTIONS; i++) {
              SliceCommand query =
                  new SliceCommand(
                      replicas.key(),
                      replicas.randomRow().slice(),
                      Optional.empty(),
                      replicas.randomRow().pageBytes(),
                      replicas.nowSeconds());
              List<RowFragment> answers = replicas.ask(query);
              ResolvedRow merged = RowResolver.merge(replicas.family().order(), query, answers);
              boolean sameEnd = answers.get(0).end().equals(answers.get(1).end());
              boolean nothingLacking = merged.corrections().stream().allMatch(RowUpdate::isEmpty);
              boolean sameDigest = digests(answers).distinct().count() == 1;
              assertEquals(sameEnd && nothingLacking, sameDigest, query.toString());
              seen[sameDigest ? 1 : 0] = true;
            }
          }
        });
    assertTrue(seen[0] && seen[1], "both have been met");
  }

  @Test
  void anAnswerDoesNotDependOnWhereThingsLieNorOnWhatIsPurgeable() {
    onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 3);
          RandomRow rows = replicas.randomRow();
          List<RowUpdate> updates = new ArrayList<>();
          for (int i = 0; i < 25; i++) {
            updates.add(random.nextInt(4) == 0 ? rows.purgeable() : rows.update());
          }
          RowKey key = replicas.key();
          for (int replica = 0; replica < replicas.count(); replica++) {
            List<RowUpdate> shuffled = new ArrayList<>(updates);
            Collections.shuffle(shuffled, random);
            for (RowUpdate update : shuffled) {
              replicas.correct(replica, key, update);
              replicas.maintain(replica);
            }
          }
          for (int i = 0; i < QUESTIONS; i++) {
            requireEqualAnswers(replicas, key, rows.slice(), rows.pageBytes());
          }
        });
  }

  @Test
  void aDeletionUnderALaterWriteIsNotSentToAnyReplica() {
    PathOrder order = new PathOrder(ColumnComparators.BYTES, null);
    PathRange column = PathRange.of(new byte[] {7});
    Cell written = Cell.live(new byte[] {7}, null, new byte[] {1}, 10);
    RowUpdate one = RowUpdate.builder(order).add(written).build();
    RowUpdate other = RowUpdate.builder(order).deleteRange(column, new DeletionTime(7, 0)).build();
    Slice slice = new Slice(List.of(column), false, false, 1);
    ResolvedRow merged =
        RowResolver.merge(
            order,
            new SliceCommand(RowKey.firstOf(new byte[] {1}), slice, Optional.empty(), 100, 0),
            List.of(
                new RowFragment(one, Optional.empty()), new RowFragment(other, Optional.empty())));
    assertEquals(List.of(written), merged.page().cells());
    assertTrue(merged.corrections().get(0).isEmpty());
    assertEquals(List.of(written), merged.corrections().get(1).cells());
    assertEquals(List.of(), merged.corrections().get(1).ranges());
  }

  /** Reads a slice page by page from all replicas and compares it with the model. */
  private static void check(
      Replicas replicas, RowKey key, Slice slice, int pageBytes, boolean correcting)
      throws Exception {
    List<Cell> cells = new ArrayList<>();
    Optional<SlicePosition> from = Optional.empty();
    long counted = 0;
    for (int page = 0; ; page++) {
      assertTrue(page < 1_000, "the pages come to no end at " + from);
      SliceCommand query = new SliceCommand(key, slice, from, pageBytes, replicas.nowSeconds());
      ResolvedRow merged = RowResolver.merge(replicas.family().order(), query, replicas.ask(query));
      if (correcting) {
        for (int i = 0; i < replicas.count(); i++) {
          if (!merged.corrections().get(i).isEmpty()) {
            replicas.correct(i, key, merged.corrections().get(i));
          }
        }
        ResolvedRow again =
            RowResolver.merge(replicas.family().order(), query, replicas.ask(query));
        int shown = Math.min(merged.page().cells().size(), again.page().cells().size());
        assertEquals(
            merged.page().cells().subList(0, shown), again.page().cells().subList(0, shown));
      }
      cells.addAll(merged.page().cells());
      counted = merged.page().counted();
      from = merged.page().next();
      if (from.isEmpty()) {
        break;
      }
    }
    List<Cell> expected =
        replicas
            .model()
            .read(
                new SliceRead(
                    replicas.family(),
                    key,
                    slice,
                    Optional.empty(),
                    Integer.MAX_VALUE,
                    Consistency.ONE,
                    Long.MAX_VALUE,
                    PageSink.LISTS))
            .join()
            .cells();
    assertEquals(expected, cells, () -> key + " " + slice + " by " + pageBytes);
    assertTrue(counted <= slice.limit(), "not more than the limit");
  }

  private static void requireEqualAnswers(Replicas replicas, RowKey key, Slice slice, int pageBytes)
      throws Exception {
    Optional<SlicePosition> from = Optional.empty();
    do {
      SliceCommand query = new SliceCommand(key, slice, from, pageBytes, replicas.nowSeconds());
      List<RowFragment> answers = replicas.ask(query);
      assertEquals(1, digests(answers).distinct().count(), () -> query + " " + shown(answers));
      ResolvedRow merged = RowResolver.merge(replicas.family().order(), query, answers);
      assertTrue(merged.corrections().stream().allMatch(RowUpdate::isEmpty), query.toString());
      assertEquals(FragmentCodec.digest(answers.get(0)), FragmentCodec.digest(merged.merged()));
      from = merged.page().next();
    } while (from.isPresent());
  }

  private static Stream<Hash128> digests(List<RowFragment> answers) {
    return answers.stream().map(FragmentCodec::digest);
  }

  private static String shown(List<RowFragment> answers) {
    StringBuilder text = new StringBuilder();
    for (RowFragment answer : answers) {
      text.append('\n')
          .append(answer.atoms().rowDeletion())
          .append(answer.atoms().ranges())
          .append(answer.atoms().cells())
          .append(answer.end());
    }
    return text.toString();
  }
}
