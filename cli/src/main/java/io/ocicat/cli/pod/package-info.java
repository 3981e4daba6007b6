/** {@code ocicat pod}: pods with networks, without Kubernetes. */
@NullMarked
package io.ocicat.cli.pod;

import org.jspecify.annotations.NullMarked;
