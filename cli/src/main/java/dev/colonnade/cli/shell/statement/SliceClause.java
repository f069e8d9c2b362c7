package dev.colonnade.cli.shell.statement;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * {@code from X to Y since T reversed limit n}; each part may be missing. Ends are in the direction
 * of travel. {@code after X} and {@code before Y} leave the end itself out.
 *
 * @param since the least timestamp: a number, or a moment as text
 */
public record SliceClause(
    Optional<Literal> from,
    boolean fromExclusive,
    Optional<Literal> to,
    boolean toExclusive,
    Optional<Literal> since,
    boolean reversed,
    OptionalInt limit) {

  /** Everything, forward, without a limit of its own. */
  public static final SliceClause NONE =
      new SliceClause(
          Optional.empty(),
          false,
          Optional.empty(),
          false,
          Optional.empty(),
          false,
          OptionalInt.empty());

  /** Whether nothing was said. */
  public boolean isNone() {
    // Not equals(), which Java makes of a record at its first use: that takes longer than a call.
    return from.isEmpty()
        && !fromExclusive
        && to.isEmpty()
        && !toExclusive
        && since.isEmpty()
        && !reversed
        && limit.isEmpty();
  }
}
