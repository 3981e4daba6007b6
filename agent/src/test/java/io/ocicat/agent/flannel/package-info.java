@NullMarked
package io.ocicat.agent.flannel;

import org.jspecify.annotations.NullMarked;
