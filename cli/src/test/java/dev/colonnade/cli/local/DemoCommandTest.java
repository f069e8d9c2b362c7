package dev.colonnade.cli.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.demo.Calls;
import dev.colonnade.cli.demo.Check;
import dev.colonnade.cli.demo.Narration;
import dev.colonnade.cli.demo.Scenario;
import dev.colonnade.cli.demo.Walkthrough;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The walkthroughs against a node in this process. */
@Timeout(60)
final class DemoCommandTest {

  private final StringWriter story = new StringWriter();
  private TemporaryNode node;
  private ManagedChannel channel;

  @BeforeEach
  void startNode() throws Exception {
    node = TemporaryNode.start();
    channel =
        Grpc.newChannelBuilder(
                "127.0.0.1:" + node.clientPort(), InsecureChannelCredentials.create())
            .build();
  }

  @AfterEach
  void stopNode() throws Exception {
    channel.shutdownNow();
    node.close();
    assertFalse(Files.exists(node.directory()), "left behind: " + node.directory());
  }

  @TestFactory
  Stream<DynamicTest> everyScenarioKeepsItsPromisesAndCanBeRunAgain() {
    return Walkthrough.scenarios().stream()
        .map(
            scenario ->
                DynamicTest.dynamicTest(
                    scenario.title(),
                    () -> {
                      assertAllHold(scenario, channel);
                      assertAllHold(scenario, channel);
                    }));
  }

  @Test
  void storyShowsTheTwoOrdersOfTheArticle() {
    Walkthrough.run(calls(channel));

    List<String> lines = story.toString().lines().map(String::strip).toList();
    assertTrue(lines.contains("3 123 976 832416"), story.toString());
    assertTrue(lines.contains("123 3 832416 976"), story.toString());
  }

  @Test
  void storyIsPlainText() {
    Walkthrough.run(calls(channel));

    assertTrue(
        story.toString().chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 0x7f)),
        story.toString());
    assertTrue(story.toString().lines().allMatch(line -> line.length() <= 120), story.toString());
  }

  @Test
  void answersInAWrongOrderAreNoticed() {
    List<Check> checks =
        Walkthrough.run(calls(ClientInterceptors.intercept(channel, new Reversing())));

    List<String> broken =
        checks.stream().filter(check -> !check.holds()).map(Check::claim).toList();
    assertTrue(broken.contains("LongType sorts by number"), broken.toString());
    assertTrue(broken.contains("homeAddress comes before workAddress"), broken.toString());
    assertTrue(broken.contains("the oldest comment comes first"), broken.toString());
    assertTrue(story.toString().contains("found:    832416 976 123 3"), story.toString());
  }

  @Test
  void commandEndsWithStatusZeroOnARunningNode() {
    assertEquals(0, demo("--node", "127.0.0.1:" + node.clientPort()), story.toString());
    assertTrue(story.toString().contains("answers are what the articles promise"));
  }

  @Test
  void commandStartsANodeOfItsOwn() {
    assertEquals(0, demo(), story.toString());
    assertTrue(story.toString().startsWith("Starting a node ... ready after "), story.toString());
  }

  private int demo(String... arguments) {
    return new CommandLine(new DemoCommand()).setOut(new PrintWriter(story)).execute(arguments);
  }

  private void assertAllHold(Scenario scenario, Channel through) {
    List<Check> checks = scenario.run(calls(through));
    assertFalse(checks.isEmpty());
    assertEquals(List.of(), checks.stream().filter(check -> !check.holds()).toList());
  }

  private Calls calls(Channel through) {
    return new Calls(through, new Narration(new PrintWriter(story), false));
  }

  /** A node that sorts the wrong way. */
  private static final class Reversing implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onMessage(A answer) {
                  super.onMessage(reversed(answer));
                }
              },
              headers);
        }
      };
    }

    @SuppressWarnings("unchecked")
    private static <A> A reversed(A answer) {
      if (!(answer instanceof GetSliceResponse slice)) {
        return answer;
      }
      List<ColumnOrSuperColumn> columns = new ArrayList<>(slice.getColumnsList());
      Collections.reverse(columns);
      return (A) slice.toBuilder().clearColumns().addAllColumns(columns).build();
    }
  }
}
