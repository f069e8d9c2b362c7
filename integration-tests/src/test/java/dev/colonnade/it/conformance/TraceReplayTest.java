package dev.colonnade.it.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The replay itself, against servers that only repeat what they are told. */
final class TraceReplayTest {

  @Test
  void everyRecordingIsUnderstoodAndOnlyTheListedAnswersDiffer() throws IOException {
    List<String> mismatches = new ArrayList<>();
    Differences differences = Differences.read();
    for (String name : Trace.names()) {
      mismatches.addAll(replay(Trace.read(name), differences).mismatches());
    }
    // The original's own answers, where ours differ on purpose: a scan at ANY, two truncates.
    assertEquals(3, mismatches.size(), () -> String.join("\n", mismatches));
    assertEquals(List.of(), differences.unused());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'ok':1}                    | {'ok':2}",
        "{'ok':1}                    | {'err':'InvalidRequestException'}",
        "{'err':'NotFoundException'} | {'err':'InvalidRequestException'}",
        "{'err':'INTERNAL'}          | {'err':'InvalidRequestException'}",
        "{'err':'NotFoundException'} | {'ok':0}",
      })
  void anotherAnswerIsAMismatch(String answered, String recorded) throws IOException {
    assertFalse(replayCount(answered, recorded, "{}").clean());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'ok':1} | {'0.6':{'ok':1}}",
        "{'err':'NotFoundException'} | {'0.6':{'ok':1},'0.7':{'err':'TimedOutException'}}",
        "{'err':'UnavailableException'} | {'0.6':{'err':'INTERNAL'}}",
      })
  void whatAnotherReleaseAnsweredIsRightToo(String answered, String alternatives)
      throws IOException {
    assertTrue(replayCount(answered, "{'ok':2}", alternatives).clean());
  }

  @Test
  void aReleaseThatBrokeInsideDoesNotExcuseAnyValue() throws IOException {
    assertFalse(replayCount("{'ok':1}", "{'ok':2}", "{'0.7':{'err':'INTERNAL'}}").clean());
  }

  @Test
  void undefinedLinesAreSentButNotCompared() throws IOException {
    JsonObject line = countLine("{'ok':2}");
    line.addProperty("undefined", true);
    TraceReplay.Report report = replay(trace(line), List.of(countLine("{'ok':1}")));
    assertTrue(report.clean());
    assertEquals(0, report.compared());
    assertEquals(1, report.undefined());
  }

  @Test
  void timeToLiveIsComparedInWrittenRecordingsOnly() {
    Outcome plain = Outcome.recorded(json("{'ok':{'c':{'n':'61','v':'','ts':1}}}"));
    Outcome expiring = Outcome.recorded(json("{'ok':{'c':{'n':'61','v':'','ts':1,'ttl':9}}}"));
    assertTrue(plain.matches(expiring, false));
    assertFalse(plain.matches(expiring, true));
  }

  @Test
  void timestampsAreComparedToTheLastBit() {
    Outcome one = Outcome.recorded(json("{'ok':[{'ts':9223372036854775807}]}"));
    Outcome other = Outcome.recorded(json("{'ok':[{'ts':9223372036854775806}]}"));
    assertFalse(one.matches(other, true));
  }

  @Test
  void ofSeveralRowDeletionsTheLastIsSent() {
    JsonObject line =
        json(
            "{'mutations':{'6b':{'F':[{'del':{'ts':8}},{'c':{'n':'61','v':'','ts':1}},"
                + "{'del':{'ts':3}},{'del':{'ts':5,'pred':{'names':['62']}}}]}}}");
    List<RowMutation> all = TraceRequests.rows(line, false);
    List<RowMutation> rewritten = TraceRequests.rows(line, true);
    assertEquals(4, all.get(0).getMutationsCount());
    List<Mutation> kept = rewritten.get(0).getMutationsList();
    assertEquals(3, kept.size());
    assertEquals(Deletion.newBuilder().setTimestamp(3).build(), kept.get(1).getDeletion());
  }

  @Test
  void aDifferenceThatNoLineNeedsIsReported() {
    Differences differences =
        Differences.parse(
            new StringReader(
                "{'leaveOut':[{'trait':'RANGE_DELETION','reason':'r'}],'rewrite':[],"
                    + "'answer':[{'trait':'TRUNCATE','recorded':'ok','expected':'x','reason':'r'}]}"));
    assertTrue(differences.leavesOut(Set.of(Trait.RANGE_DELETION)));
    assertEquals(1, differences.unused().size());
    assertEquals(Trait.TRUNCATE, differences.unused().get(0).trait());
  }

  @Test
  void aDifferenceNeedsAReason() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            Differences.parse(
                new StringReader(
                    "{'leaveOut':[{'trait':'TRUNCATE','reason':' '}],'rewrite':[],'answer':[]}")));
  }

  @Test
  void partsThatContinueAreJoined() {
    Parts parts = new Parts();
    parts.add(List.of(row("a", superColumn("s", "1"))), true, true);
    parts.add(List.of(row("a", superColumn("s", "2"), superColumn("t", "1"))), false, false);
    parts.add(List.of(row("b")), false, false);
    assertEquals(
        List.of(row("a", superColumn("s", "1", "2"), superColumn("t", "1")), row("b")),
        parts.rows());
  }

  @Test
  void aPartThatContinuesNothingIsAnError() {
    Parts parts = new Parts();
    parts.add(List.of(row("a", superColumn("s", "1"))), true, false);
    assertThrows(AssertionError.class, () -> parts.add(List.of(row("b")), false, false));
  }

  private static TraceReplay.Report replayCount(
      String answered, String recorded, String alternatives) throws IOException {
    JsonObject line = countLine(recorded);
    line.add("alt", json(alternatives));
    return replay(trace(line), List.of(countLine(answered)));
  }

  private static TraceReplay.Report replay(Trace trace, Differences differences)
      throws IOException {
    Set<String> indexed = TraceSchema.of(trace).indexedFamilies();
    List<JsonObject> sent = new ArrayList<>();
    Differences own = Differences.read();
    ExpiringTies ties = ExpiringTies.of(trace);
    for (JsonObject line : trace.lines()) {
      if (!line.get("op").getAsString().equals("sleep")
          && !own.leavesOut(Trait.of(line, indexed, ties))) {
        sent.add(line);
      }
    }
    return replay(trace, sent, differences);
  }

  private static TraceReplay.Report replay(Trace trace, List<JsonObject> answers)
      throws IOException {
    return replay(trace, answers, Differences.read());
  }

  private static TraceReplay.Report replay(
      Trace trace, List<JsonObject> answers, Differences differences) throws IOException {
    String name = InProcessServerBuilder.generateName();
    InProcessServerBuilder builder = InProcessServerBuilder.forName(name).directExecutor();
    new RecordedServer(answers).services().forEach(builder::addService);
    Server server = builder.build().start();
    ManagedChannel channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    try {
      return new TraceReplay(
              new FixedNode(channel), differences, ReadStyle.UNARY, TraceReplay.Interruption.NONE)
          .replay(trace);
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  private record FixedNode(Channel channel) implements NodeUnderTest {

    @Override
    public void pass(Duration time) {}

    @Override
    public void flush() {}

    @Override
    public void restart() {}
  }

  private static JsonObject countLine(String res) {
    JsonObject line =
        json(
            "{'i':0,'op':'get_count','ks':'K','key':'6b','cf':'F','cl':'ONE',"
                + "'pred':{'names':['61']}}");
    line.add("res", json(res));
    return line;
  }

  private static Trace trace(JsonObject... lines) {
    return new Trace(
        "by-hand",
        json("{'partitioner':'RandomPartitioner','schema':{'keyspaces':[]}}"),
        List.of(lines));
  }

  private static JsonObject json(String text) {
    return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
  }

  private static KeySlice row(String key, ColumnOrSuperColumn... columns) {
    return KeySlice.newBuilder()
        .setKey(ByteString.copyFromUtf8(key))
        .addAllColumns(List.of(columns))
        .build();
  }

  private static ColumnOrSuperColumn superColumn(String name, String... columns) {
    SuperColumn.Builder superColumn =
        SuperColumn.newBuilder().setName(ByteString.copyFromUtf8(name));
    for (String column : columns) {
      superColumn.addColumns(Column.newBuilder().setName(ByteString.copyFromUtf8(column)));
    }
    return ColumnOrSuperColumn.newBuilder().setSuperColumn(superColumn).build();
  }
}
