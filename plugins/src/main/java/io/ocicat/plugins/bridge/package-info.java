/** The {@code bridge} plugin: containers as ports of a Linux bridge on their host. */
@NullMarked
package io.ocicat.plugins.bridge;

import org.jspecify.annotations.NullMarked;
