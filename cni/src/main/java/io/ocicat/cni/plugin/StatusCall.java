package io.ocicat.cni.plugin;

/** STATUS: could ADD work now? */
public final class StatusCall extends Call {
  StatusCall(CallContext context) {
    super(context);
  }
}
