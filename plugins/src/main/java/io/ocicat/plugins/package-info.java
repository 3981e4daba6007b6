/**
 * The CNI plugins. Each has a package of its own, named as its executable; {@link
 * io.ocicat.plugins.Plugins} lists them, and {@code net} holds what several of them do to the
 * kernel.
 */
@NullMarked
package io.ocicat.plugins;

import org.jspecify.annotations.NullMarked;
