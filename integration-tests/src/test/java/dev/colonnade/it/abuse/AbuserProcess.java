package dev.colonnade.it.abuse;

import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An {@link Abuser} that runs, at a lower priority than everything else. */
final class AbuserProcess implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Process process;
  private final Path out;

  private AbuserProcess(Process process, Path out) {
    this.process = process;
    this.out = out;
  }

  static AbuserProcess start(AbuseCase abuse, Target target, Path folder) throws IOException {
    Path out = Files.createTempFile(folder, abuse.name() + "-", ".out");
    List<String> command = new ArrayList<>(List.of("nice", "-n", "10"));
    command.addAll(
        ChildJvm.main(List.of("-Xmx3g", "-XX:MaxDirectMemorySize=4g"), Abuser.class.getName()));
    command.add(abuse.name());
    command.add(Integer.toString(target.clientPort()));
    command.add(Integer.toString(target.peerPort()));
    command.add(Integer.toString(target.httpPort()));
    return new AbuserProcess(ChildJvm.start(command, out, Abuser.BEGUN, LIMIT), out);
  }

  /** Ends it, and returns the outcomes of its calls. */
  Tally.Counts end() throws IOException {
    process.getOutputStream().close();
    if (!ChildJvm.exited(process, LIMIT)) {
      process.destroyForcibly();
      return new Tally.Counts(0, 0, 0, Map.of("HUNG", 1L));
    }
    List<String> lines = Files.readAllLines(out);
    return Tally.Counts.parse(lines.get(lines.size() - 1));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
