package dev.colonnade.server.storage.engine;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** All figures of one column family at one moment. Immutable. */
public final class FamilyFigures {

  private final Map<FamilyFigure, Double> values;
  private final List<QuarantinedFile> quarantined;

  /**
   * Holds known values.
   *
   * @param values of all figures; one that is absent is 0
   */
  public FamilyFigures(Map<FamilyFigure, Double> values, List<QuarantinedFile> quarantined) {
    this.values = values.isEmpty() ? Map.of() : new EnumMap<>(values);
    this.quarantined = List.copyOf(quarantined);
  }

  static FamilyFigures of(FamilyFigure.FigureSource source) {
    Map<FamilyFigure, Double> values = new EnumMap<>(FamilyFigure.class);
    for (FamilyFigure figure : FamilyFigure.values()) {
      values.put(figure, figure.read(source));
    }
    return new FamilyFigures(
        values, source.store().view().quarantined().stream().map(Quarantined::figures).toList());
  }

  /** Returns a mean or a rate. */
  public double value(FamilyFigure figure) {
    return values.getOrDefault(figure, 0.0);
  }

  /** Returns a count. */
  public long count(FamilyFigure figure) {
    return (long) value(figure);
  }

  /** The damaged files. */
  public List<QuarantinedFile> quarantined() {
    return quarantined;
  }
}
