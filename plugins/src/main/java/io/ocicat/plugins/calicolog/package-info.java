/** The logs of Calico's plugins. */
@NullMarked
package io.ocicat.plugins.calicolog;

import org.jspecify.annotations.NullMarked;
