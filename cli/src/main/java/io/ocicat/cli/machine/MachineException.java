package io.ocicat.cli.machine;

/** Why the demo cannot run, and what to do about it. */
public final class MachineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MachineException(String message) {
    super(message);
  }

  public MachineException(String message, Throwable cause) {
    super(message, cause);
  }
}
