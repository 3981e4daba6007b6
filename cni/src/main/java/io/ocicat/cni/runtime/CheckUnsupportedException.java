package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;

/** The configuration has a version before 0.4.0, which introduced CHECK. */
public final class CheckUnsupportedException extends CniException {
  private static final long serialVersionUID = 1;

  CheckUnsupportedException(String version) {
    super(
        ErrorCode.INCOMPATIBLE_VERSION,
        "configuration version %s does not support the CHECK command"
            .formatted(Quoted.of(version)));
  }
}
