package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginType;

/**
 * ADD of a delegate failed, and so did the DEL that was to undo it: something may be left, and must
 * be removed later. Its error is that of ADD; why DEL failed is suppressed in it.
 */
public final class NotUndoneException extends CniException {
  private static final long serialVersionUID = 1;

  NotUndoneException(PluginType type, CniException add, CniException del) {
    super(add);
    addSuppressed(del.prefixed("undoing it with %s failed too: ".formatted(type)));
  }
}
