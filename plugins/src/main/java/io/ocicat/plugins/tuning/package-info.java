/** Changes sysctls and settings of a container's interface, and puts them back. */
@NullMarked
package io.ocicat.plugins.tuning;

import org.jspecify.annotations.NullMarked;
