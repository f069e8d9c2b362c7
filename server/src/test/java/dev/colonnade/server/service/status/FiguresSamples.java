package dev.colonnade.server.service.status;

import dev.colonnade.server.service.status.NodeFigures.Calls;
import dev.colonnade.server.service.status.NodeFigures.DamagedFile;
import dev.colonnade.server.service.status.NodeFigures.Family;
import dev.colonnade.server.service.status.NodeFigures.Load;
import dev.colonnade.server.service.status.NodeFigures.Merge;
import dev.colonnade.server.service.status.NodeFigures.RepairWork;
import dev.colonnade.server.service.status.NodeFigures.Running;
import dev.colonnade.server.service.status.NodeFigures.SlowCall;
import dev.colonnade.server.service.status.NodeFigures.StageWork;
import dev.colonnade.server.service.status.NodeFigures.Transfer;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Figures for tests, in which no two fields of a record are the same. */
final class FiguresSamples {

  private FiguresSamples() {}

  /** Figures with that many families, and that many of each other kind. */
  static NodeFigures of(int families, int works) {
    return new NodeFigures(
        1_790_000_000_000L,
        12_345,
        "1.2",
        true,
        several(works, i -> "problem " + i),
        several(works, i -> "Blog.Posts: odd " + i),
        new Load(1, 2, 3, 4, 5, 6, 7),
        new Calls(List.of(0.1, 0.5), List.of(5L, 6L, 7L)),
        9,
        several(
            families,
            i ->
                new Family(
                    "Blog", "F" + i, i, 2, 3, 4, 5, 6, i == 0 ? List.of() : List.of(1L, 2L, 3L))),
        several(works, i -> new StageWork("s" + i, 1, 2, 3, 4, 5)),
        new Running(
            several(works, i -> new Merge("Blog", "F" + i, 2, 3, 4)),
            several(works, i -> new Transfer(i % 2 == 0, "h:" + i, "repair", 2, 3, 4)),
            works == 0 ? Optional.empty() : Optional.of(new RepairWork(1, 2, "trees")),
            8),
        500_000_000,
        several(
            works,
            i ->
                new SlowCall(i, "Get", "Blog", "F", "'k'", 1, "ONE", "h", "OK", "t", "files=1", 2)),
        several(works, i -> new DamagedFile("Blog", "F" + i, 2, 3, "checksum")));
  }

  private static <T> List<T> several(int count, IntFunction<T> each) {
    return IntStream.range(0, count).mapToObj(each).toList();
  }
}
