package io.ocicat.sandbox.pods;

/** CRI's two states of a sandbox. */
public enum SandboxState {
  READY,
  NOTREADY
}
