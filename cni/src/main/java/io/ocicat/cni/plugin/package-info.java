/**
 * The plugin side of CNI: a {@link io.ocicat.cni.plugin.Plugin} is one class, and {@link
 * io.ocicat.cni.plugin.Dispatcher} implements the protocol around it. The same class runs as an
 * executable ({@link io.ocicat.cni.plugin.PluginMain}), inside a daemon, and inside any JVM that
 * attaches containers ({@link io.ocicat.cni.plugin.InProcessExec}).
 */
@NullMarked
package io.ocicat.cni.plugin;

import org.jspecify.annotations.NullMarked;
