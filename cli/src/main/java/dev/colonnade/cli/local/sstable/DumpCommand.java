package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sstable dump}: prints rows for people. */
@Command(
    name = "dump",
    description =
        "Prints the rows of a family for people, those of its files merged, or the rows of one"
            + " file: with timestamps, expiry, and everything that is deleted.")
final class DumpCommand extends FileCommand {

  @Mixin private FileOptions files = new FileOptions();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only this row: text, or 0x and hexadecimal digits.")
  private @Nullable String key;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "9223372036854775807",
      description = "At most so many rows (default: all).")
  private long limit;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic, for people; or json, the lines of an export.")
  private String form = "";

  /** For picocli. */
  DumpCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException {
    boolean json = FormOption.isJson(form, command());
    byte[] only = key == null ? null : bytes(key);
    return new RowCopies(out, err).dump(files.path(), files.family(), only, limit, json);
  }

  private byte[] bytes(String text) {
    try {
      return text.startsWith("0x")
          ? HexFormat.of().parseHex(text, 2, text.length())
          : text.getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException invalid) {
      throw new ParameterException(
          command().commandLine(), "what begins with 0x is pairs of hexadecimal digits", invalid);
    }
  }
}
