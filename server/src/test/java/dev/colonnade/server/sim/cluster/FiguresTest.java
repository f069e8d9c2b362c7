package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/**
 * Every figure of the contract is true: for each field something changes it by a known amount. The
 * fields are those of the descriptors, so that a new one fails until it is here.
 */
final class FiguresTest {

  private final FigureScenario cluster = new FigureScenario();

  @AfterEach
  void end() {
    cluster.end();
  }

  @TestFactory
  Stream<DynamicTest> everyFigureOfTheContractMoves() throws Exception {
    cluster.begin();
    Map<String, Executable> claims = new TreeMap<>();
    new FamilyFigureClaims(cluster).addTo(claims);
    new ReadFigureClaims(cluster).addTo(claims);
    new CallFigureClaims(cluster).addTo(claims);
    new TraceFigureClaims(cluster).addTo(claims);
    new NodeFigureClaims(cluster).addTo(claims);
    Set<String> figures = ContractFigures.names();
    Set<String> unknown = new TreeSet<>(claims.keySet());
    unknown.removeAll(figures);
    assertEquals(Set.of(), unknown, "these are no figures of the contract");
    return figures.stream()
        .map(
            figure ->
                DynamicTest.dynamicTest(
                    figure,
                    claims.getOrDefault(
                        figure, () -> fail("no test moves this figure of the contract"))));
  }
}
