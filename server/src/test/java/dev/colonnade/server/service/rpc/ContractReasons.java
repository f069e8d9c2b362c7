package dev.colonnade.server.service.rpc;

import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The reasons that the comments of the .proto files list for each method, with their codes. */
final class ContractReasons {

  private static final Path SOURCES =
      Path.of("..", "proto", "src", "main", "proto", "colonnade").toAbsolutePath().normalize();

  private static final Pattern METHOD =
      Pattern.compile("((?:^  //.*\n)+)^  rpc (\\w+)\\(", Pattern.MULTILINE);

  /** A code, and in parentheses its reasons, each of which may be explained after a colon. */
  private static final Pattern GROUP = Pattern.compile("([A-Z_]+) \\(([^)]*)\\)");

  private static final Pattern REASON = Pattern.compile("\\b[A-Z_]{8,}\\b");

  /** What the comment of AccountService lists for every method of every service. */
  private static final Map<String, Status.Code> OF_AUTHENTICATION = ofAuthentication();

  /** By the full name of a method, as gRPC has it. */
  private static final Map<String, Map<String, Status.Code>> ALL =
      Map.copyOf(
          readAll(
              Map.of(
                  "v1/column_store_service.proto", List.of("colonnade.v1"),
                  "admin/v1/admin.proto", List.of("colonnade.admin.v1"),
                  "admin/v1/bulk_load.proto", List.of("colonnade.admin.v1"),
                  "search/v1/search.proto", List.of("colonnade.search.v1"),
                  "admin/v1/accounts.proto", List.of("colonnade.admin.v1"))));

  private ContractReasons() {}

  /** The reasons of each method, by its full name. */
  static Map<String, Map<String, Status.Code>> all() {
    return ALL;
  }

  /** The reasons of one method; empty for one that is not of the contract. */
  static Map<String, Status.Code> of(String fullMethodName) {
    return ALL.getOrDefault(fullMethodName, Map.of());
  }

  private static Map<String, Map<String, Status.Code>> readAll(Map<String, List<String>> files) {
    Map<String, Map<String, Status.Code>> all = new HashMap<>();
    files.forEach(
        (file, packages) -> {
          try {
            read(Files.readString(SOURCES.resolve(file)), packages.get(0), all);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return all;
  }

  private static Map<String, Status.Code> ofAuthentication() {
    try {
      String source = Files.readString(SOURCES.resolve("admin/v1/accounts.proto"));
      int from = source.indexOf("every method of every service can fail");
      String sentence = source.substring(from, source.indexOf(';', from)).replace("//", " ");
      return errors("Errors: " + sentence);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(
      String source, String packageName, Map<String, Map<String, Status.Code>> all) {
    Matcher service = Pattern.compile("(?ms)^service (\\w+) \\{\n(.*?)^}").matcher(source);
    while (service.find()) {
      Matcher method = METHOD.matcher(service.group(2));
      while (method.find()) {
        Map<String, Status.Code> reasons = new TreeMap<>(OF_AUTHENTICATION);
        reasons.putAll(errors(method.group(1)));
        all.put(packageName + "." + service.group(1) + "/" + method.group(2), reasons);
      }
    }
  }

  private static Map<String, Status.Code> errors(String comment) {
    String text = comment.replaceAll("(?m)^  //", "").replaceAll("\\s+", " ");
    Map<String, Status.Code> errors = new TreeMap<>();
    int from = text.indexOf("Errors");
    if (from < 0) {
      return errors;
    }
    Matcher group = GROUP.matcher(text.substring(from));
    while (group.find()) {
      Status.Code code = Status.Code.valueOf(group.group(1));
      Matcher reason = REASON.matcher(group.group(2));
      while (reason.find()) {
        errors.put(reason.group(), code);
      }
    }
    return errors;
  }
}
