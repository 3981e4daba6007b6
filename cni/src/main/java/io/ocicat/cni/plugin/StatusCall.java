package io.ocicat.cni.plugin;

/** A call of the verb STATUS: could ADD work now? */
public final class StatusCall extends Call {
  StatusCall(CallContext context) {
    super(context);
  }
}
