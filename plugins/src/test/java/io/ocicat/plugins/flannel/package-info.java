@NullMarked
package io.ocicat.plugins.flannel;

import org.jspecify.annotations.NullMarked;
