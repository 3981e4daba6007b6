/**
 * One execution of a CNI plugin, from the side that asks for it: what goes in, what comes out, and
 * how it is run. The runtime and plugins that delegate to others share it.
 */
@NullMarked
package io.ocicat.cni.exec;

import org.jspecify.annotations.NullMarked;
