package dev.colonnade.server.schema;

import dev.colonnade.server.env.PlugInException;
import dev.colonnade.server.env.PlugIns;
import dev.colonnade.server.model.NameType;
import dev.colonnade.server.model.NameTypes;
import java.util.Optional;

/** Finds the name type that a schema names. Thread-safe. */
@FunctionalInterface
public interface NameTypeResolver {

  /**
   * The type of that name.
   *
   * @throws PlugInException if there is none, or the user's class cannot be used
   */
  NameType resolve(String className) throws PlugInException;

  /** Built-in types only. */
  static NameTypeResolver builtIns() {
    return with(PlugIns.NONE);
  }

  /** Built-in types first, then, for names with a dot, the user's classes. */
  static NameTypeResolver with(PlugIns plugIns) {
    return className -> {
      Optional<NameType> builtIn = NameTypes.builtIn(className);
      if (builtIn.isPresent()) {
        return builtIn.get();
      }
      if (className.indexOf('.') < 0 || className.startsWith("org.apache.cassandra.")) {
        throw new PlugInException(
            "unknown comparator "
                + Names.quote(className)
                + "; the built-in ones are "
                + String.join(", ", NameTypes.all().stream().map(NameType::typeName).toList())
                + ", and a class of yours is named with its package");
      }
      NameType loaded = plugIns.load(className, NameType.class);
      NameTypeProbe.check(className, loaded);
      return loaded;
    };
  }
}
