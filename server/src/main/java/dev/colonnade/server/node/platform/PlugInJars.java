package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Loads the user's comparators, partitioners and analyzers from jars in one folder. The jars see
 * the node's own classes and the Java platform; the folder is read once, at start.
 */
public final class PlugInJars implements PlugIns, Closeable {

  private static final Pattern CLASS_NAME =
      Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*(\\.[A-Za-z_$][A-Za-z0-9_$]*)+");
  private static final int MAX_NAME_CHARACTERS = 512;

  private final Path folder;
  private final List<Path> jars;
  private final URLClassLoader loader;

  private PlugInJars(Path folder, List<Path> jars, URLClassLoader loader) {
    this.folder = folder;
    this.jars = jars;
    this.loader = loader;
  }

  /**
   * Opens the jars in a folder, which need not exist.
   *
   * @throws IOException if the folder exists and cannot be read
   */
  public static PlugInJars open(Path folder) throws IOException {
    List<Path> jars = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
      }
    }
    URL[] urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = jars.get(i).toUri().toURL();
    }
    URLClassLoader loader = new URLClassLoader("plug-ins", urls, PlugInJars.class.getClassLoader());
    return new PlugInJars(folder, jars, loader);
  }

  /** The jars found, sorted by name. */
  public List<Path> jars() {
    return List.copyOf(jars);
  }

  @Override
  public <T> T load(String className, Class<T> kind) throws PlugInException {
    if (className.length() > MAX_NAME_CHARACTERS || !CLASS_NAME.matcher(className).matches()) {
      throw new PlugInException(
          "a class is named with its package, such as com.example.Mine; this name is not");
    }
    Class<?> found = find(className);
    if (!kind.isAssignableFrom(found)) {
      throw new PlugInException("the class " + className + " does not implement " + kind.getName());
    }
    if (!Modifier.isPublic(found.getModifiers()) || Modifier.isAbstract(found.getModifiers())) {
      throw new PlugInException(
          "the class " + className + " must be public and not abstract to be a plug-in");
    }
    return kind.cast(instance(found));
  }

  private Class<?> find(String className) throws PlugInException {
    Class<?> found;
    try {
      // Does not run its static code yet: that waits until it is known to be a plug-in.
      found = Class.forName(className, false, loader);
    } catch (ClassNotFoundException e) {
      throw new PlugInException(
          "there is no class "
              + className
              + " in the "
              + jars.size()
              + " jars of "
              + folder
              + ": put the jar there on every node and restart",
          e);
    } catch (LinkageError e) {
      throw new PlugInException("the class " + className + " cannot be loaded: " + e, e);
    }
    if (found.getClassLoader() != loader) {
      throw new PlugInException(
          "the class " + className + " is not in a jar of " + folder + ", so it is no plug-in");
    }
    return found;
  }

  private static Object instance(Class<?> found) throws PlugInException {
    try {
      Constructor<?> constructor = found.getConstructor();
      return constructor.newInstance();
    } catch (NoSuchMethodException e) {
      throw new PlugInException(
          "the class " + found.getName() + " has no public constructor without parameters", e);
    } catch (InvocationTargetException e) {
      throw new PlugInException(
          "the constructor of " + found.getName() + " failed: " + e.getCause(), e);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new PlugInException("the class " + found.getName() + " cannot be used: " + e, e);
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
