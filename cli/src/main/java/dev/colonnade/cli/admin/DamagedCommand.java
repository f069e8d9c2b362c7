package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.QuarantinedFile;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Lists what a node has set aside, applies records again, and accepts losses. */
@Command(
    name = "damaged",
    description = {
      "Lists what a running node has set aside: damaged data files, and records that could not be"
          + " applied, for example because your comparator threw an exception. Reads that may need"
          + " them fail with DATA_LOSS until the data file is replaced by a sound copy and the node"
          + " restarted, the records are applied, or the loss is accepted.",
      ""
    })
public final class DamagedCommand implements Callable<Integer> {

  private static final Pattern FILE = Pattern.compile("(\\w+)\\.(.+)/(\\d{1,12})");

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Mixin private NodeClientOptions node = new NodeClientOptions();

  @Option(
      names = "--accept",
      paramLabel = "KEYSPACE.FAMILY/NUMBER",
      description =
          "Accept the loss of what this file held; name the file as the list does. This cannot be"
              + " undone. The file itself stays where it is.")
  private @Nullable String accepted;

  @Option(
      names = "--apply",
      paramLabel = "KEYSPACE.FAMILY/NUMBER",
      description =
          "Apply the records of this file again, once the cause of their failure is fixed; name the"
              + " file as the list does. It is deleted afterwards. Repeating this does no harm.")
  private @Nullable String applied;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic, for people; or json, an object per line (default: classic).")
  private String form = "";

  /** For picocli. */
  public DamagedCommand() {}

  @Override
  public Integer call() throws CommandException {
    String address = node.address(spec.commandLine());
    if (accepted != null && applied != null) {
      throw new ParameterException(
          spec.commandLine(), "--accept and --apply cannot be combined: give one of them");
    }
    OutputForm output =
        OutputForm.of(form)
            .filter(each -> each != OutputForm.TABLE)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "--output is classic or json, not " + form));
    String file = accepted == null ? applied : accepted;
    Matcher parts = file == null ? null : parts(file);
    PrintWriter out = spec.commandLine().getOut();
    Output answers = output.to(Printer.plain(out, spec.commandLine().getErr()));
    try (Colonnade client = Colonnade.connect(address, node.client())) {
      if (parts == null) {
        List<QuarantinedFile> files = client.node().statistics().quarantinedFiles();
        if (output == OutputForm.JSON) {
          answers.listing(listing(files));
        } else {
          list(files, out);
        }
      } else if (applied != null) {
        long records =
            client
                .node()
                .applySetAside(parts.group(1), parts.group(2), Long.parseLong(parts.group(3)));
        answers.done("records applied: " + records + "; " + file + " is gone");
      } else {
        client.node().acceptLoss(parts.group(1), parts.group(2), Long.parseLong(parts.group(3)));
        answers.done("the loss of what " + file + " held is accepted");
      }
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (ColonnadeException e) {
      throw CommandException.failed(address + " answers: " + e.getMessage(), e);
    }
  }

  private Matcher parts(String file) {
    Matcher parts = FILE.matcher(file);
    if (!parts.matches()) {
      throw new ParameterException(
          spec.commandLine(), "a file is named KEYSPACE.FAMILY/NUMBER, not " + file);
    }
    return parts;
  }

  private static Listing listing(List<QuarantinedFile> files) {
    List<Map<String, Object>> items = new ArrayList<>();
    for (QuarantinedFile file : files) {
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("keyspace", file.keyspace());
      item.put("family", file.columnFamily());
      item.put("number", file.number());
      item.put("file", file.path());
      item.put("contents", file.contents().name());
      item.put("offset", file.offset());
      item.put("records", file.records());
      item.put("reason", file.reason());
      item.put("since", file.since().toString());
      item.put("rows_known", file.rowsKnown());
      items.add(item);
    }
    return new Listing("damaged_file", "files", List.of(), List.of(), items, "");
  }

  private static void list(List<QuarantinedFile> files, PrintWriter out) {
    for (QuarantinedFile file : files) {
      out.println(file.keyspace() + "." + file.columnFamily() + "/" + file.number());
      out.println("  file:   " + file.path());
      out.println(
          switch (file.contents()) {
            case ROWS -> "  damage: at byte " + file.offset() + ", " + file.reason();
            case LOGGED_RECORDS ->
                "  holds:  "
                    + file.records()
                    + " records of the commit log that could not be applied: "
                    + file.reason();
            case REFUSED_RECORDS ->
                "  holds:  "
                    + file.records()
                    + " hints that could not be applied; no read is affected: "
                    + file.reason();
          });
      out.println("  since:  " + file.since());
      if (!file.rowsKnown()) {
        out.println("  every read of the family is affected: which rows it held is not known");
      }
    }
    out.println(files.isEmpty() ? "no damaged files" : "files set aside: " + files.size());
  }
}
