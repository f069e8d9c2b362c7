package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Reports on generated bugs: how many the tests noticed, and where the unnoticed ones are. {@code
 * integration-tests/mutants} is the command.
 */
final class Mutants {

  /**
   * The result for one package.
   *
   * @param made mutants that a test could be run on
   * @param noticed those that failed a test, hung, or used up the memory
   * @param survivors those that did not
   * @param commit of the checkout
   */
  record Score(String part, int made, int noticed, List<Survivor> survivors, String commit) {}

  /**
   * A mutant that no test noticed.
   *
   * @param place class, without its package, and method
   * @param change the generated change
   * @param line of the source, in the commit of its score
   * @param reason why no test can or need notice it; empty if there is none
   */
  record Survivor(String place, String change, int line, String reason) {}

  private static final String PACKAGES = "dev.colonnade.server.";

  private static final Set<String> NOTICED = Set.of("KILLED", "TIMED_OUT", "MEMORY_ERROR");

  private Mutants() {}

  /** No arguments; the command has made the report that is read here. */
  public static void main(String[] args)
      throws IOException, ParserConfigurationException, SAXException {
    Path home = Path.of(System.getProperty("colonnade.home"));
    Path report = home.resolve("server/target/pit-reports/mutations.xml");
    Map<String, String> reasons = reasons(home.resolve("integration-tests/mutants.tsv"));
    List<Score> scores = scores(report, reasons, System.getProperty("colonnade.commit", "?"));
    print(scores);
    keep(scores, Results.mutants(home));
    boolean unexplained =
        scores.stream().flatMap(s -> s.survivors().stream()).anyMatch(s -> s.reason().isEmpty());
    System.exit(unexplained ? 1 : 0);
  }

  /** Of lines {@code place, change, reason}, with tabs between them. */
  private static Map<String, String> reasons(Path file) throws IOException {
    Map<String, String> reasons = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t", -1);
      if (fields.length == 3) {
        reasons.put(fields[0] + '\t' + fields[1], fields[2]);
      } else if (!line.isBlank()) {
        throw new IOException(file + ": not three fields: " + line);
      }
    }
    return reasons;
  }

  private static List<Score> scores(Path report, Map<String, String> reasons, String commit)
      throws IOException, ParserConfigurationException, SAXException {
    Map<String, Integer> made = new TreeMap<>();
    Map<String, Integer> noticed = new TreeMap<>();
    Map<String, List<Survivor>> survivors = new TreeMap<>();
    NodeList mutants =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getElementsByTagName("mutation");
    for (int i = 0; i < mutants.getLength(); i++) {
      Element mutant = (Element) mutants.item(i);
      String name = text(mutant, "mutatedClass").substring(PACKAGES.length());
      int type = name.lastIndexOf('.');
      String part = name.substring(name.lastIndexOf('.', type - 1) + 1, type);
      String status = mutant.getAttribute("status");
      if (status.equals("NON_VIABLE")) {
        continue;
      }
      made.merge(part, 1, Integer::sum);
      if (NOTICED.contains(status)) {
        noticed.merge(part, 1, Integer::sum);
        continue;
      }
      String place = name.substring(type + 1) + "." + text(mutant, "mutatedMethod");
      String change = text(mutant, "description");
      survivors
          .computeIfAbsent(part, p -> new ArrayList<>())
          .add(
              new Survivor(
                  place,
                  status.equals("NO_COVERAGE") ? change + " (no test reaches it)" : change,
                  Integer.parseInt(text(mutant, "lineNumber")),
                  reasons.getOrDefault(place + '\t' + change, "")));
    }
    return made.entrySet().stream()
        .map(
            part ->
                new Score(
                    part.getKey(),
                    part.getValue(),
                    noticed.getOrDefault(part.getKey(), 0),
                    survivors.getOrDefault(part.getKey(), List.of()),
                    commit))
        .toList();
  }

  private static String text(Element mutant, String field) {
    return mutant.getElementsByTagName(field).item(0).getTextContent();
  }

  private static void print(List<Score> scores) {
    System.out.printf(Locale.ROOT, "%-14s %7s %7s %9s%n", "package", "made", "noticed", "survived");
    for (Score score : scores) {
      System.out.printf(
          Locale.ROOT,
          "%-14s %7d %7d %9d%n",
          score.part(),
          score.made(),
          score.noticed(),
          score.survivors().size());
    }
    for (Score score : scores) {
      for (Survivor survivor : score.survivors()) {
        System.out.printf(
            Locale.ROOT,
            "%s.%s:%d %s%s%n",
            score.part(),
            survivor.place(),
            survivor.line(),
            survivor.change(),
            survivor.reason().isEmpty() ? "" : " [" + survivor.reason() + "]");
      }
    }
  }

  /** Takes the place of what the file says of the same packages. */
  private static void keep(List<Score> scores, Path file) throws IOException {
    Gson gson = new Gson();
    Map<String, String> lines = new TreeMap<>();
    for (Score score : Results.read(file, Score.class)) {
      lines.put(score.part(), gson.toJson(score));
    }
    scores.forEach(score -> lines.put(score.part(), gson.toJson(score)));
    Files.write(file, lines.values());
  }
}
