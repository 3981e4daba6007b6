/** What Calico's plugins log, and where to. */
@NullMarked
package io.ocicat.plugins.calicolog;

import org.jspecify.annotations.NullMarked;
