package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Answers as short texts, for comparing. */
public final class Render {

  private Render() {}

  static String cells(List<Cell> cells) {
    StringJoiner text = new StringJoiner(" ");
    for (Cell cell : cells) {
      text.add(
          (cell.sub() == null ? "" : new String(cell.top(), StandardCharsets.UTF_8) + "/")
              + new String(cell.name(), StandardCharsets.UTF_8)
              + "="
              + new String(cell.value(), StandardCharsets.UTF_8));
    }
    return text.toString();
  }

  public static String failure(@Nullable Throwable cause) {
    if (cause instanceof CoordinationException.NotEnoughReplicas unavailable) {
      return "unavailable " + unavailable.alive() + "/" + unavailable.required();
    }
    if (cause instanceof CoordinationException.ReplicaTimeout timeout) {
      return "timeout " + timeout.received() + "/" + timeout.required();
    }
    return String.valueOf(cause);
  }
}
