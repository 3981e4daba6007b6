/**
 * Decides whether an attachment may be undone without a request: no other code does. {@link
 * io.ocicat.daemon.liveness.UndoPolicy} decides over values; {@link
 * io.ocicat.daemon.liveness.NodeEvidence} gathers them on this machine.
 */
@NullMarked
package io.ocicat.daemon.liveness;

import org.jspecify.annotations.NullMarked;
