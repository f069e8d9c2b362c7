package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.ColumnComparators;
import java.util.Optional;

/** Finds the comparator that a schema names. Thread-safe. */
@FunctionalInterface
public interface ComparatorResolver {

  /**
   * Returns the comparator of that name.
   *
   * @throws PlugInException if there is none, or the user's class cannot be used
   */
  ColumnComparator resolve(String className) throws PlugInException;

  /** Resolves built-in types only. */
  static ComparatorResolver builtIns() {
    return with(PlugIns.NONE);
  }

  /** Resolves built-in types first, then, for names with a dot, the user's classes. */
  static ComparatorResolver with(PlugIns plugIns) {
    return className -> {
      Optional<ColumnComparator> builtIn = ColumnComparators.builtIn(className);
      if (builtIn.isPresent()) {
        return builtIn.get();
      }
      if (className.indexOf('.') < 0 || className.startsWith("org.apache.cassandra.")) {
        throw new PlugInException(
            "unknown comparator "
                + Names.quote(className)
                + "; the built-in ones are "
                + String.join(
                    ", ", ColumnComparators.all().stream().map(ColumnComparator::typeName).toList())
                + ", and a class of yours is named with its package");
      }
      ColumnComparator loaded = plugIns.load(className, ColumnComparator.class);
      ComparatorProbe.check(className, loaded);
      return loaded;
    };
  }
}
