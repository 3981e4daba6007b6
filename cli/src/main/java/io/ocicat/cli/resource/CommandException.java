package io.ocicat.cli.resource;

/** A command that cannot be carried out; the message is one line that says why and what to do. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommandException(String message) {
    super(message);
  }

  public CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
