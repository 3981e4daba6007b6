package io.ocicat.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Resolves {@link Host} and {@link Lan} parameters; JUnit's store closes them with the test. */
final class HostsExtension implements ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(HostsExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Host.class || type == Lan.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    context.getRoot().getStore(NAMESPACE).computeIfAbsent(Sweep.class, _ -> Sweep.run());
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    String name = parameter.getParameter().getName();
    return parameter.getParameter().getType() == Lan.class
        ? store.computeIfAbsent("lan " + name, _ -> Lan.open(), Lan.class)
        : store.computeIfAbsent("host " + name, _ -> Host.open(), Host.class);
  }

  /** Marks that this run has cleaned up after dead ones: once is enough. */
  private record Sweep() {
    static Sweep run() {
      Namespace.cleanUp();
      return new Sweep();
    }
  }
}
