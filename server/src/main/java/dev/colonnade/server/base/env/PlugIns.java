package dev.colonnade.server.base.env;

/**
 * Classes that users supply: comparators, partitioners and analyzers, named by class name in a
 * schema or a setting.
 *
 * <p>Thread-safe. A call may read files; it happens when a schema is changed or loaded, or on a
 * stage that may wait for the disk, never on the path of a request for data.
 */
public interface PlugIns {

  /** A node without plug-ins: every name is refused. */
  PlugIns NONE =
      new PlugIns() {
        @Override
        public <T> T load(String className, Class<T> kind) throws PlugInException {
          throw new PlugInException(
              "no class " + className + ": this node was started without a plug-in folder");
        }
      };

  /**
   * A new instance of a class that implements {@code kind} and has a public constructor without
   * parameters.
   *
   * @throws PlugInException if there is no such class or it cannot be used; the message names the
   *     class, what is wrong and what to do
   */
  <T> T load(String className, Class<T> kind) throws PlugInException;
}
