/** Executes CNI plugins, for the runtime and for plugins that delegate to others. */
@NullMarked
package io.ocicat.cni.exec;

import org.jspecify.annotations.NullMarked;
