/** The {@code static} plugin: assigns a container the addresses that its configuration names. */
@NullMarked
package io.ocicat.plugins.staticipam;

import org.jspecify.annotations.NullMarked;
