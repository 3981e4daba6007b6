/** The calico plugin on the real kernel, with Calico's datastore in each of its engines. */
@NullMarked
package io.ocicat.plugins.calico;

import org.jspecify.annotations.NullMarked;
