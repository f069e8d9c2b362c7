package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.ReadCommand;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.SliceCommand;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * What a read returns: a page of live cells, or a fragment, which is everything that this node
 * knows, deletions included, and does not depend on which files or memtables hold it. It stands
 * beside the command, not in it, because replicas are sent the same command that the coordinator
 * makes its page by.
 *
 * @param <C> the command
 * @param <T> the result
 */
public final class ReadOutput<C extends ReadCommand, T> {

  /**
   * The live cells of a slice, or how many there are.
   *
   * @param sinks makes what takes the cells, for each attempt to read them
   */
  public static ReadOutput<SliceCommand, RowPage> rowPage(Supplier<PageSink> sinks) {
    return new ReadOutput<>(
        (read, command) ->
            read.overRow(
                command.key(),
                row -> {
                  SliceReader reader =
                      new SliceReader(
                          read.order(),
                          row.since(command.slice().minTimestamp()),
                          command.slice(),
                          command.from(),
                          command.nowSeconds(),
                          new ReadBudget(command.bytes(), read.steps().readAtoms()),
                          command.countOnly()
                              ? null
                              : sinks.get().row(command.key(), command.from()));
                  reader.walk(command.from());
                  return read.response(RowPage.of(reader.live()), reader.tombstonesPassed());
                }));
  }

  /** Everything known of a slice. */
  public static final ReadOutput<SliceCommand, RowFragment> ROW_FRAGMENT =
      new ReadOutput<>(
          (read, command) ->
              read.overRow(
                  command.key(),
                  row -> {
                    FragmentReader reader =
                        new FragmentReader(
                            read.order(),
                            row,
                            command.slice(),
                            command.from(),
                            command.nowSeconds(),
                            read.keptSinceSeconds(command.nowSeconds()),
                            new ReadBudget(command.bytes(), read.steps().readAtoms()));
                    reader.walk(command.from());
                    return read.response(reader.fragment(), reader.tombstones());
                  }));

  /**
   * The live cells of rows in token order, or their keys.
   *
   * @param sinks makes what takes the cells, for each attempt to read them
   */
  public static ReadOutput<RangeCommand, RangeRows> rangePage(Supplier<PageSink> sinks) {
    return new ReadOutput<>(
        (read, command) ->
            read.overVersion(
                view -> {
                  RangeReader reader =
                      new RangeReader(
                          view, read.order(), command, read.steps(), read.context(), sinks.get());
                  reader.read();
                  return read.response(reader.rows(), reader.tombstonesPassed());
                }));
  }

  /** Everything known of rows in token order. */
  public static final ReadOutput<RangeCommand, RangeFragment> RANGE_FRAGMENT =
      new ReadOutput<>(
          (read, command) ->
              read.overVersion(
                  view -> {
                    RangeFragmentReader reader =
                        new RangeFragmentReader(
                            view,
                            read.order(),
                            read.keptSinceSeconds(command.nowSeconds()),
                            command,
                            read.steps(),
                            read.context());
                    reader.read();
                    return read.response(reader.fragment(), reader.tombstones());
                  }));

  /** Carries out one attempt. */
  private interface OutputReader<C extends ReadCommand, T> {
    ReadResponse<T> read(ReadAttempt read, C command) throws IOException;
  }

  private final OutputReader<C, T> reader;

  private ReadOutput(OutputReader<C, T> reader) {
    this.reader = reader;
  }

  ReadResponse<T> read(ReadAttempt attempt, C command) throws IOException {
    return reader.read(attempt, command);
  }
}
