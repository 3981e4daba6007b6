/**
 * Whether an attachment may be undone although nobody asked for it: the only place where that is
 * decided. {@link io.ocicat.daemon.liveness.UndoPolicy} decides over values; {@link
 * io.ocicat.daemon.liveness.NodeEvidence} gathers them on this machine.
 */
@NullMarked
package io.ocicat.daemon.liveness;

import org.jspecify.annotations.NullMarked;
