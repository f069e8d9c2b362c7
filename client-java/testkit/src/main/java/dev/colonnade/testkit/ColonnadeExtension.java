package dev.colonnade.testkit;

import dev.colonnade.client.Colonnade;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What {@link ColonnadeTest} does. */
final class ColonnadeExtension implements BeforeAllCallback, AfterEachCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(ColonnadeExtension.class);

  /** JUnit makes one for each class. */
  ColonnadeExtension() {}

  /** The nodes, which JUnit closes with the context of the class that they belong to. */
  private record Held(TestNodes nodes, ColonnadeTest wanted) implements AutoCloseable {
    @Override
    public void close() {
      nodes.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // A nested class has the nodes of the class around it, if that has some.
    ColonnadeTest wanted =
        AnnotationSupport.findAnnotation(context.getRequiredTestClass(), ColonnadeTest.class)
            .orElse(null);
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    if (wanted != null && store.get(Held.class) == null) {
      store.put(
          Held.class, new Held(TestNodes.start(wanted.nodes(), wanted.partitioner()), wanted));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Held held = held(context);
    if (held.wanted.dropKeyspacesAfterEach()) {
      held.nodes.dropKeyspaces();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestNodes.class || type == Colonnade.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestNodes nodes = held(context).nodes;
    return parameter.getParameter().getType() == TestNodes.class ? nodes : nodes.client();
  }

  private static Held held(ExtensionContext context) {
    Held held = context.getStore(NAMESPACE).get(Held.class, Held.class);
    if (held == null) {
      throw new ExtensionConfigurationException(
          "the nodes of a test start before its class; annotate the class with @ColonnadeTest");
    }
    return held;
  }
}
