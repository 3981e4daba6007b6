/** The {@code loopback} plugin: brings up the loopback interface of a container. */
@NullMarked
package io.ocicat.plugins.loopback;

import org.jspecify.annotations.NullMarked;
