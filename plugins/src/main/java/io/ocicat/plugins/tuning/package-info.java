/**
 * The {@code tuning} plugin: changes sysctls and settings of a container's interface, and restores
 * them.
 */
@NullMarked
package io.ocicat.plugins.tuning;

import org.jspecify.annotations.NullMarked;
